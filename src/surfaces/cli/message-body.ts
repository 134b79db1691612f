/** A message's text: the words of the line, or standard input byte for byte. */
import { isRefusal, refuse } from "../../core/refusal.ts";
import type { Flag } from "./command.ts";
import type { CliContext } from "./context.ts";
import { Refused } from "./granted.ts";
import { UsageError } from "./usage-error.ts";

const MAX_INPUT_BYTES = 1_048_576;

export const BODY_FLAGS: Readonly<Record<string, Flag>> = {
  stdin: { kind: "boolean", help: "read the text from standard input, byte for byte" },
};

export async function readBody({ args, ports }: CliContext, example: string): Promise<string> {
  if (!args.isSet("stdin")) {
    if (args.rest.length > 0) return args.rest.join(" ");
    throw new UsageError("There is no text to send.", `For example: ${example}`);
  }
  if (args.rest.length > 0) {
    throw new UsageError("--stdin and a text exclude each other.", "Use one of them.");
  }
  const text = await ports.readInput(MAX_INPUT_BYTES);
  if (!isRefusal(text)) return text;
  const error = "limit" in text.facts ? "message_too_large" : "invalid_body";
  throw new Refused(refuse(error, text.message, text.next, text.facts));
}
