/**
 * Marking a workspace: a directory that says "the stick is used here", and one line for agents that read the
 * workspace's instructions. What would be written is worked out first, so that it can be shown before it is done.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { pathIn } from "../files/path-in.ts";
import { errorCode } from "../files/system-error.ts";

export interface PlannedWrite {
  readonly path: string;
  /** What happens there, for people. */
  readonly what: string;
  /** Appended; existing text is never rewritten. */
  readonly text: string;
}

const LINE =
  "Several agents may work here at once. Before you write, get the talking stick with `tt wait`; when you are done, hand it on with `tt release`.";

const EXPLANATION = `This directory marks a workspace in which one agent at a time may write: the holder of the talking stick.

    tt            who holds it, and what to do next
    tt wait       wait for it
    tt release    hand it on, with a handoff
`;

export function isMarked(root: string): boolean {
  return existsSync(pathIn(root, ".talking-stick"));
}

/**
 * The writes that are still missing; none when the workspace is marked already. `guideFiles`: files with instructions
 * that only some harness reads.
 */
export function planMark(root: string, guideFiles: readonly string[] = []): readonly PlannedWrite[] | Refusal {
  const explanation = pathIn(root, ".talking-stick/README.md");
  const mark = existsSync(explanation) ? [] : [{ path: explanation, what: "create it", text: EXPLANATION }];
  const plans = guidesIn(root, ["AGENTS.md", ...guideFiles]).map(planLine);
  const problem = plans.find((plan) => "error" in plan);
  return problem ?? [...mark, ...plans.flatMap((plan) => ("error" in plan ? [] : plan))];
}

/** The files that agents read, each once even if one is a link to another. */
function guidesIn(root: string, names: readonly string[]): readonly string[] {
  const guides = names.map((name) => pathIn(root, name)).filter((path) => existsSync(path));
  const distinct = new Map(guides.map((path) => [realpathSync(path), path]));
  return distinct.size > 0 ? [...distinct.values()] : [pathIn(root, "AGENTS.md")];
}

function planLine(path: string): readonly PlannedWrite[] | Refusal {
  try {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text.includes("`tt wait`")) return [];
    const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
    const what = text === "" ? "create it, with a line about the stick" : "add one line about the stick at the end";
    return [{ path, what, text: `${gap}${LINE}\n` }];
  } catch (error) {
    return unusable(path, error);
  }
}

/** Null when all of it is done. */
export function carryOutMark(plan: readonly PlannedWrite[]): Refusal | null {
  for (const { path, text } of plan) {
    try {
      const directory = dirname(path);
      if (basename(directory) === ".talking-stick" && !existsSync(directory)) mkdirSync(directory);
      appendFileSync(path, text);
    } catch (error) {
      return unusable(path, error);
    }
  }
  return null;
}

function unusable(path: string, error: unknown): Refusal {
  const code = errorCode(error);
  if (code === "") throw error;
  return refuse(
    "invalid_path",
    `${path} cannot be used (${code}).`,
    "Make it a file that you may write, or mark the workspace by hand; --print shows how.",
    { path, cause: code },
  );
}
