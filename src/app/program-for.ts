/** The names of the commands in fast-commands.ts, so that the launcher need not load them. */
export const EVERYDAY_NAMES: readonly string[] = [
  "wait",
  "try",
  "release",
  "pass",
  "heartbeat",
  "msg send",
  "msg recv",
  "reply",
  "state",
  "status",
  "why",
  // `tt` alone.
  "",
];

/** Stands for every read: commands that change something keep the compiled code for reads. */
export const READS = "reads";
const EVERYDAY_READS: readonly string[] = ["state", "status", "why", ""];

/** Under which names compiled code is kept for a line of this program: its own, and which else will do. */
export function keptFor([first = "", second = ""]: readonly string[], program: string): readonly string[] {
  // Flags before the command are rare, and a flag must not become a file name.
  if (program !== "everyday") return /^[a-z]+$/.test(first) ? [first, READS] : [READS];
  if (EVERYDAY_READS.includes(first)) return [READS];
  return [EVERYDAY_NAMES.includes(first) ? first : `${first}-${second}`];
}

/** The everyday commands whose answer may carry mail. */
const WITH_MAIL: readonly string[] = ["wait", "try", "msg-recv"];

/** Under which name the code of this command is kept after an answer with mail: more of the program runs then. */
export function keptWithMail(command: string): string | null {
  return WITH_MAIL.includes(command) ? `${command}-with-mail` : null;
}

/** The commands of the console, which is a program of its own. */
const CONSOLE_NAMES: readonly string[] = ["chat", "watch"];

export type ProgramName = "everyday" | "mcp" | "console" | "ui" | "whole";

/** Which program to try first. It is a guess by the first words; a program says when a line is not its own. */
export function programFor([first = "", second = ""]: readonly string[]): ProgramName {
  if (first === "mcp" || first === "ui") return first;
  if (CONSOLE_NAMES.includes(first)) return "console";
  return EVERYDAY_NAMES.includes(first) || EVERYDAY_NAMES.includes(`${first} ${second}`) ? "everyday" : "whole";
}
