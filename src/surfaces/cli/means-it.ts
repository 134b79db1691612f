/**
 * One rule for "yes, I mean it": what weakens an active agent, or edits files outside of the project, asks the person
 * first. `--yes` answers. Without a terminal and without `--yes`, nothing is done.
 */
import type { RawInput } from "../../core/field.ts";
import type { Arguments, Flag } from "./command.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./usage-error.ts";

export const YES: Flag = { kind: "boolean", help: "without asking" };

/** What an operation refuses at first, and does for a person who says so. */
export interface Insistence {
  readonly question: string;
  readonly input: RawInput;
}

/** A program that reads JSON is not asked, so nothing that needs a yes is done for it without the flag. */
export async function meansIt(context: CliContext, args: Arguments, question: string): Promise<boolean> {
  if (args.isSet("yes")) return true;
  if (await context.wantsJson()) return false;
  if (!context.ports.terminal.input) {
    throw new UsageError("There is no terminal to ask for a yes. Nothing was done.", "Add --yes if you mean it.");
  }
  return context.ports.confirm(question);
}
