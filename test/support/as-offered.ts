import { DEFAULT_TOOLS } from "../../src/surfaces/mcp/tools.ts";

type Input = Readonly<Record<string, unknown>>;

/** An operation as a client has to call it by default: as a tool, or through the gateway. */
export function asOffered(operation: string, input: Input): { readonly name: string; readonly arguments: Input } {
  const isTool = DEFAULT_TOOLS.some(({ name }) => name === operation);
  return isTool ? { name: operation, arguments: input } : { name: "tt", arguments: { operation, arguments: input } };
}
