/**
 * The walks of docs/architecture.md. The file of each step imports the file of the next one, or the next step names its
 * wiring. `(wired in `app/open.ts`)`: that file imports both. `(port `engine/ports/store.ts`, wired in …)`: both import
 * the port, and the last of the wiring files imports the implementation.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, test } from "vitest";
import { readSource } from "./source.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

interface Step {
  readonly file: string;
  /** A file that is still in the middle of its work, and calls this one next. */
  readonly backIn: string | undefined;
  readonly port: string | undefined;
  readonly wiring: readonly string[];
}

/** `Back in `a.ts`: `b.ts` (port `c.ts`, wired in `d.ts` and `e.ts`) does something.` */
const STEP =
  /^(?:(?:Back in|In Codex's process, by the same way to) `(?<backIn>[^`]+)`: )?`(?<file>[^`]+)`(?: \((?:port `(?<port>[^`]+)`, )?wired in (?<wiring>[^)]+)\))?/;

function stepsUnder(heading: string, text = page): readonly Step[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\d+\. (.*(?:\n {3,}.*)*)/gm)].map(([, item = ""]) => {
    const found = STEP.exec(item.replaceAll(/\s+/g, " "))?.groups;
    if (found?.["file"] === undefined) throw new Error(`names no file: ${item}`);
    const wiring = [...(found["wiring"] ?? "").matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
    return { file: found["file"], backIn: found["backIn"], port: found["port"], wiring };
  });
}

function textOf(file: string): string {
  const path = join(root, file.startsWith("scripts/") ? "" : "src", file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function imports(from: string, to: string): boolean {
  return readSource(from, textOf(from)).imports.some(({ value }) => join(dirname(from), value) === to);
}

/** The ports that a use case is given come together in one type. */
const usesPort = (file: string, port: string) =>
  imports(file, port) || (imports(file, "engine/deps.ts") && imports("engine/deps.ts", port));

/** A program is loaded by the name of the bundle that the build makes of its entry. */
function isBuilt(from: string, to: string, build: string): boolean {
  const bundle = new RegExp(`entry: "src/${to}", outfile: "([^"]+)"`).exec(textOf(build))?.[1];
  return bundle !== undefined && textOf(from).includes(`"${bundle}"`);
}

function isWired(from: string, { file, port, wiring }: Step): boolean {
  const [first = "", ...rest] = wiring;
  if (first.startsWith("scripts/")) return isBuilt(from, file, first);
  const chain = [...wiring, file];
  if (!chain.slice(1).every((next, index) => imports(chain[index] ?? "", next))) return false;
  if (port !== undefined) return usesPort(from, port) && usesPort(file, port);
  return rest.length === 0 && imports(first, from);
}

/** What is wrong with a walk. The files that are in the middle of their work are a stack, as calls are. */
function breachesOf(steps: readonly Step[]): readonly string[] {
  const breaches: string[] = [];
  let stack: string[] = [];
  for (const [index, step] of steps.entries()) {
    const { file, backIn, wiring } = step;
    if (backIn !== undefined) {
      if (!stack.includes(backIn)) breaches.push(`${index + 1}. ${backIn} has ended before`);
      stack = stack.slice(0, stack.lastIndexOf(backIn) + 1);
    }
    const from = stack.at(-1);
    const isReached = from === undefined || (wiring.length > 0 ? isWired(from, step) : imports(from, file));
    if (!isReached) breaches.push(`${index + 1}. ${from} does not reach ${file}`);
    stack.push(file);
  }
  return breaches;
}

describe.each(["One release, file by file", "One message, file by file"])("%s", (heading) => {
  const steps = stepsUnder(heading);

  test("begins with the command that was typed and ends where the other process prints", () => {
    expect(steps.at(0)?.file).toBe("app/launch.ts");
    expect(steps.at(-1)?.file).toBe("platform/streams/standard-streams.ts");
  });

  test("each step is an import or a wiring that exists", () => {
    expect(breachesOf(steps)).toEqual([]);
  });

  test("is as long as the page says", () => {
    const files = new Set(steps.map(({ file }) => file)).size;
    const said = /\d+ steps, \d+ files/.exec(page.split(`## ${heading}`)[1] ?? "")?.[0];
    expect(said).toBe(`${steps.length} steps, ${files} files`);
  });
});

test.each([
  ["no import", "1. `core/time.ts` a\n2. `core/ids.ts` b", "2. core/time.ts does not reach core/ids.ts"],
  [
    "a wiring that is not there",
    "1. `engine/commit.ts` a\n2. `store/sqlite/bell.ts` (port `engine/ports/bell.ts`, wired in `app/open.ts`) b",
    "2. engine/commit.ts does not reach store/sqlite/bell.ts",
  ],
  [
    "another port",
    "1. `engine/commit.ts` a\n2. `store/sqlite/bell.ts` (port `engine/ports/wake.ts`, wired in `app/open-basics.ts`) b",
    "2. engine/commit.ts does not reach store/sqlite/bell.ts",
  ],
  [
    "back in a file that has ended",
    "1. `engine/commit.ts` a\n2. `engine/evidence.ts` b\n3. Back in `engine/commit.ts`: `room/rules/rings.ts` c\n" +
      "4. Back in `engine/evidence.ts`: `engine/deps.ts` d",
    "4. engine/evidence.ts has ended before",
  ],
])("a walk with %s is caught", (_, list, breach) => {
  expect(breachesOf(stepsUnder("Walk", `## Walk\n\n${list}\n`))[0]).toBe(breach);
});
