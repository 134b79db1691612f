/** Whether a line that is about to run in a shell writes files: it reads, it writes, or it cannot be known. */
import { combine, type ShellEffect } from "./finding.ts";
import { judgeScript, TooDeep } from "./walk.ts";

/** A longer line is not read at all. */
const MOST_CHARACTERS = 256 * 1024;

/**
 * What a command does to files of the tree and to the state of git in it: refs, index and settings. `reads` is certain
 * but for what the caller's own settings run, such as an alias of the shell or a diff program in git's configuration.
 */
export function shellEffect(command: string): ShellEffect {
  if (command.length > MOST_CHARACTERS) return tooMuch("too long");
  try {
    return combine(judgeScript(command));
  } catch (error) {
    // The stack of this process ends before the nesting of the line does.
    if (!(error instanceof TooDeep) && !(error instanceof RangeError)) throw error;
    return tooMuch("too deep");
  }
}

function tooMuch(because: string): ShellEffect {
  return { effect: "unknown", targets: null, hidden: because, because };
}
