/** A message's text: the words of the line, or standard input byte for byte. */
import { isFilled } from "../../../../core/handoff.ts";
import { isRefusal, refuse } from "../../../../core/refusal.ts";
import type { Arguments, Flag } from "../../command.ts";
import type { CliContext } from "../../context.ts";
import { Refused } from "../../granted.ts";
import { UsageError } from "../../usage-error.ts";

const MAX_INPUT_BYTES = 1_048_576;

export const BODY_FLAGS: Readonly<Record<string, Flag>> = {
  stdin: { kind: "boolean", help: "read the text from standard input, byte for byte" },
};

export async function readBody(context: CliContext, example: string): Promise<string> {
  const { args } = context;
  if (!args.isSet("stdin")) {
    if (args.rest.length > 0) return ownWords(args.rest.join(" "), example);
    throw new UsageError("There is no text to send.", `For example: ${example}`);
  }
  refuseBoth(args);
  return readInputBody(context);
}

/** One of the two would be lost. */
export function refuseBoth(args: Arguments): void {
  if (args.isSet("stdin") && args.rest.length > 0) {
    throw new UsageError("--stdin and a text exclude each other.", "Use one of them.");
  }
}

/** What stands for words in an example that was copied as it stands is no message. */
export function ownWords(text: string, example: string): string {
  const said = text.trim();
  if (said === "" || isFilled(text)) return text;
  throw new UsageError(`${said} is the place for your own words.`, `For example: ${example}`);
}

export async function readInputBody({ ports }: CliContext): Promise<string> {
  const text = await ports.readInput(MAX_INPUT_BYTES);
  if (!isRefusal(text)) return text;
  const error = "limit" in text.facts ? "message_too_large" : "invalid_body";
  throw new Refused(refuse(error, text.message, text.next, text.facts));
}
