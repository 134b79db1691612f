/** The commands of everyday.ts, by name: the launcher must not load them to know them. */
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
];

export type Program = "everyday" | "mcp" | "whole";

/** Which program to try first. It is a guess by the first words; a program says when a line is not its own. */
export function programFor([first = "", second = ""]: readonly string[]): Program {
  if (first === "mcp") return "mcp";
  return EVERYDAY_NAMES.includes(first) || EVERYDAY_NAMES.includes(`${first} ${second}`) ? "everyday" : "whole";
}
