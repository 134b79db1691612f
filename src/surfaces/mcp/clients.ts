/** What is known about MCP clients by the names that they give themselves. */
import { HARNESSES } from "../../harness/harnesses.ts";

/** A client that is not known may be the most impatient of all. */
const UNKNOWN_CLIENT_MS = 50_000;

/** How long a call may take before its client gives up. */
export function longestWaitMs(clientName: string | null): number {
  return harnessOf(clientName)?.mcpWaitMs ?? UNKNOWN_CLIENT_MS;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * A plugin of ours says with an argument of its own whose call it is, where one client serves many sessions. It is
 * evidence and no input: it is taken out before a tool sees its arguments, and only for the client whose plugin adds it,
 * so that every other client is told that there is no such argument.
 */
export function takeSessionArgument(
  clientName: string | null,
  given: Values,
): { readonly input: Values; readonly taken: Values } {
  const name = harnessOf(clientName)?.sessionArgument;
  if (name === undefined || !Object.hasOwn(given, name)) return { input: given, taken: {} };
  const { [name]: value, ...input } = given;
  return { input, taken: { [name]: value } };
}

function harnessOf(clientName: string | null) {
  return HARNESSES.find(({ mcpClient }) => mcpClient === clientName);
}
