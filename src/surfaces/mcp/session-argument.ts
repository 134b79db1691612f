/**
 * A plugin of ours says with an argument of its own whose call it is, where one client serves many sessions. It is
 * evidence and no input: it is taken out before a tool sees its arguments, and only for the client whose plugin adds it,
 * so that every other client is told that there is no such argument.
 */
import { HARNESSES } from "../../harness/identities.ts";

type Values = Readonly<Record<string, unknown>>;

export function takeSessionArgument(
  clientName: string | null,
  given: Values,
): { readonly input: Values; readonly taken: Values } {
  const name = HARNESSES.find(({ mcpClient }) => mcpClient === clientName)?.sessionArgument;
  if (name === undefined || !Object.hasOwn(given, name)) return { input: given, taken: {} };
  const { [name]: value, ...input } = given;
  return { input, taken: { [name]: value } };
}
