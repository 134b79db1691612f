/** What the model tries in a phase, and what is to be seen of it afterwards. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HarnessWorld } from "../harness-world.ts";
import type { Step } from "../script.ts";
import type { Outcome, Phase } from "./phases.ts";
import type { GuardRow } from "./rows.ts";
import { BEFORE, type GuardedHarness, WRITTEN, type WritingTool } from "./tools.ts";

export interface Attempt {
  readonly name: string;
  readonly row: GuardRow;
  /** The answer of the last one counts. */
  readonly steps: readonly Step[];
  readonly expected: Outcome;
  /** `answer`: what the model was told. */
  readonly outcome: (answer: string) => string;
}

/** Every reason of the guard has these words. A tool may fail for reasons of its harness, too. */
const REFUSED = /Refused: .*Nothing was written\. Get the stick first: /;

/** Where the attempts of one phase write: inside of the room, and outside of every room. */
export interface Places {
  readonly inside: string;
  /** The same for a subagent. */
  readonly delegated: string;
  /** A repository in the tree that has no room of its own. */
  readonly nested: string;
  /** Elsewhere on the machine. */
  readonly elsewhere: string;
}

function writes(path: string, before: string | null): Attempt["outcome"] {
  return (answer) => {
    const now = existsSync(path) ? readFileSync(path, "utf8") : null;
    if (now?.includes(WRITTEN)) return "written";
    if (now !== before) return `changed to: ${now}`;
    return REFUSED.test(answer) ? "refused" : `not written, and told: ${answer}`;
  };
}

export function toolAttempt(tool: WritingTool, directory: string, expected: Outcome, row: GuardRow): Attempt {
  const { name, extension = "txt", before = null } = tool;
  const path = join(directory, `${name.replaceAll(" ", "-")}.${extension}`);
  if (before !== null) writeFileSync(path, before);
  return { name, row, expected, steps: tool.steps(path, expected), outcome: writes(path, before) };
}

function isRead(answer: string): string {
  return answer.includes(BEFORE) ? "read" : `told: ${answer}`;
}

/** Every tool that writes, what must never be refused, and a command of unknown effect. */
export function attemptsIn(harness: GuardedHarness, phase: Phase, places: Places): readonly Attempt[] {
  const { driver, tools, read } = harness;
  const [edit] = tools.filter(({ kind }) => kind === "edit");
  const [shell] = tools.filter(({ kind }) => kind === "shell");
  if (!edit || !shell) throw new Error(`${driver.name} has no tools`);
  const known = join(places.inside, "known.txt");
  writeFileSync(known, BEFORE);
  const hidden = join(places.inside, "unknown.txt");
  const script = `require("fs").writeFileSync("${hidden}", "${WRITTEN}")`;
  return [
    ...tools.map((tool) => toolAttempt(tool, places.inside, phase.writes, tool.kind)),
    named("in another repository", toolAttempt(edit, places.nested, "written", "edit")),
    named("outside", toolAttempt(shell, places.elsewhere, "written", "shell")),
    {
      name: "a command of unknown effect",
      row: "shell",
      steps: [driver.shell(`'${process.execPath}' -e '${script}'`)],
      expected: phase.unknown,
      outcome: writes(hidden, null),
    },
    { name: "its tool that reads", row: "edit", steps: [read(known)], expected: "read", outcome: isRead },
    {
      name: "cat, ls, git status",
      row: "shell",
      steps: [driver.shell(`cd '${places.inside}' && ls && git status --short && cat known.txt`)],
      expected: "read",
      outcome: isRead,
    },
  ];
}

function named(where: string, attempt: Attempt): Attempt {
  return { ...attempt, name: `${attempt.name} ${where}` };
}

export function placesIn(world: HarnessWorld, phase: string, temporary: string): Places {
  return {
    inside: world.directory(`tree/${phase}`),
    delegated: world.directory(`tree/${phase}/delegated`),
    nested: world.directory(`tree/nested/${phase}`),
    elsewhere: join(temporary, phase),
  };
}
