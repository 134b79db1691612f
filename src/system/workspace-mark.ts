/**
 * Marking a workspace: a directory that says "the stick is used here", and one line for agents that read the
 * workspace's instructions. What would be written is worked out first, so that it can be shown before it is done.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface PlannedWrite {
  readonly path: string;
  /** What happens there, for people. */
  readonly what: string;
  readonly content: string;
}

const LINE =
  "Several agents may work here at once. Before you write, get the talking stick with `tt wait`; when you are done, hand it on with `tt release`.";

const EXPLANATION = `This directory marks a workspace in which one agent at a time may write: whoever holds the talking stick.

    tt            who holds it, and what to do next
    tt wait       wait for it
    tt release    hand it on, with a handoff
`;

/** The writes that are still missing; none when the workspace is marked already. */
export function planMark(root: string): readonly PlannedWrite[] {
  const explanation = join(root, ".talking-stick", "README.md");
  const mark = existsSync(explanation) ? [] : [{ path: explanation, what: "make it", content: EXPLANATION }];
  const guides = ["AGENTS.md", "CLAUDE.md"].map((name) => join(root, name)).filter((path) => existsSync(path));
  const targets = guides.length > 0 ? guides : [join(root, "AGENTS.md")];
  return [...mark, ...targets.flatMap(planLine)];
}

function planLine(path: string): PlannedWrite[] {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (text.includes("`tt wait`")) return [];
  const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  const what = text === "" ? "make it, with one line about the stick" : "add one line about the stick at the end";
  return [{ path, what, content: `${text}${gap}${LINE}\n` }];
}

export function carryOutMark(plan: readonly PlannedWrite[]): void {
  for (const { path, content } of plan) {
    if (basename(dirname(path)) === ".talking-stick") mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
