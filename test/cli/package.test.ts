/** The package as it would be published, used by programs that have nothing else of this project: those of the docs. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
/** What npm would install beside it, and what the user's own project brings. */
const NEIGHBOURS = ["@photostructure", "node-gyp-build", "@types", "undici-types"];
const PAGES = ["library.md", "mailbox-protocol.md"];

interface Example {
  readonly file: string;
  readonly program: string;
  readonly output: string;
}

/** Every program of a page with the output that follows it. Those under one heading run at the same time. */
function examplesIn(page: string): { readonly heading: string; readonly examples: readonly Example[] }[] {
  const sections = readFileSync(join(root, "docs", page), "utf8").split(/^#+ (?=.*$)/m);
  return sections.flatMap((section) => {
    const heading = section.split("\n", 1)[0] ?? "";
    const examples = [...section.matchAll(/^```ts\n(.*?)^```\n\n```text\n(.*?)^```$/gms)].map(
      ([, program = "", output = ""], index) => ({
        file: `${heading} ${index}`.replaceAll(/\W+/g, "-"),
        program,
        output,
      }),
    );
    const programs = section.match(/^```(?:[jt]s|javascript|typescript)$/gm)?.length ?? 0;
    if (programs !== examples.length) throw new Error(`${page}, ${heading}: a program without its output`);
    return examples.length === 0 ? [] : [{ heading, examples }];
  });
}

const SECTIONS = PAGES.flatMap((page) => examplesIn(page).map((section) => ({ page, ...section })));

/** A program that CommonJS loads, and one that must not compile. */
const REQUIRED = `
import { openTalkingStick } from "talking-stick";
async function main(): Promise<void> {
  const me = await openTalkingStick({ agentId: "script:example" });
  console.log((await me.join()).handle);
  await me.close();
}
void main();`;
const WRONG = `
import { openTalkingStick } from "talking-stick";
// @ts-expect-error there is no option agent
void openTalkingStick({ agent: 1 });`;
/** It forgets to close what it opened. */
const FORGETFUL = `
import { openTalkingStick } from "talking-stick";
const me = await openTalkingStick({ agentId: "script:forgetful" });
const turn = await (await me.join()).waitForTurn();
console.log("turn", turn?.turnId);`;

let project = "";
let inside = "";

beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "tt-test-")));
  inside = join(project, "node_modules/talking-stick");
  mkdirSync(inside, { recursive: true });
  const run = (program: string, args: readonly string[], cwd = project) =>
    execFileSync(program, args, { cwd, encoding: "utf8" });
  const published = join(project, "published");
  copyPublished(published);
  const packed = run("npm", ["pack", "--ignore-scripts", "--silent"], published);
  run("tar", ["-xf", join(published, packed.trim()), "-C", inside, "--strip-components=1"]);
  for (const name of NEIGHBOURS) symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
  const compilerOptions = { strict: true, module: "nodenext", target: "es2023", types: ["node"], outDir: "out" };
  const sources: readonly (readonly [string, string])[] = [
    ["package.json", "{}"],
    ["tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.mts", "*.cts"] })],
    ["required.cts", REQUIRED],
    ["wrong.mts", WRONG],
    ["forgetful.mts", FORGETFUL],
    ...SECTIONS.flatMap(({ examples }) => examples.map(({ file, program }) => [`${file}.mts`, program] as const)),
  ];
  for (const [name, content] of sources) writeFileSync(join(project, name), content);
  // Whatever does not compile is printed on the standard output.
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], { cwd: project, stdio: "inherit" });
});

/** The project's published files, with the build under test and its types as dist. */
function copyPublished(published: string): void {
  mkdirSync(published);
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  for (const name of ["package.json", "README.md", "LICENSE", ...files.filter((file) => file !== "dist")])
    cpSync(join(root, name), join(published, name), { recursive: true });
  const dist = join(published, "dist");
  cpSync(dirname(inject("tt")), dist, { recursive: true });
  execFileSync(process.execPath, [join(root, "scripts/declarations.mjs"), dist]);
}

afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Running {
  /** It has printed something, or ended. */
  readonly spoke: Promise<unknown>;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

/** Each section has a directory and a store of its own. */
function start(file: string, section: string): Running {
  const cwd = join(project, "work", section.replaceAll(/\W+/g, "-"));
  mkdirSync(cwd, { recursive: true });
  const env = { ...process.env, TT_DATA_DIR: join(cwd, "data"), HOME: cwd };
  const child = spawn(process.execPath, ["--no-warnings", join(project, "out", file)], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    output += part;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output }));
  return { spoke: Promise.race([once(child.stdout, "data"), ended]), ended };
}

it("holds the program, the library, its types, and no sources", () => {
  expect(readdirSync(inside).toSorted()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist",
    "docs",
    "package.json",
    "skills",
  ]);
  const built = [
    "console.mjs",
    "everyday.cjs",
    "git-layer.cjs",
    "hook-program.cjs",
    "hook.cjs",
    "index.js",
    "install.cjs",
    "keep-code.cjs",
    "load-console.cjs",
    "mailbox.js",
    "mcp.cjs",
    "memory.cjs",
    "migrations.cjs",
    "notifier.cjs",
    "opencode-plugin.js",
    "page",
    "postgres.cjs",
    "program.cjs",
    "prove.cjs",
    "record-later.cjs",
    "record.cjs",
    "recorder.cjs",
    "shell-effect.cjs",
    "terminals.cjs",
    "tt.1",
    "tt.cjs",
    "types",
    "ui.cjs",
  ];
  expect(readdirSync(join(inside, "dist")).toSorted()).toEqual(built);
  expect(readdirSync(join(inside, "dist/page")).toSorted()).toEqual(["icon.svg", "index.html", "page.css", "page.js"]);
  const version = execFileSync(process.execPath, [join(inside, "dist/tt.cjs"), "--version"], { encoding: "utf8" });
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe("an example of the docs prints what stands there", () => {
  it.each(SECTIONS)("$page: $heading", async ({ page, heading, examples }) => {
    const running: Running[] = [];
    for (const { file } of examples) {
      const program = start(`${file}.mjs`, `${page} ${heading}`);
      running.push(program);
      await program.spoke;
    }
    const ended = await Promise.all(running.map((program) => program.ended));
    expect(ended).toEqual(examples.map(({ output }) => ({ code: 0, output })));
  });
});

it("the library can be required", async () => {
  expect(await start("required.cjs", "required").ended).toEqual({ code: 0, output: "library\n" });
});

it("a program that forgets to close what it opened ends by itself", async () => {
  expect(await start("forgetful.mjs", "forgetful").ended).toEqual({ code: 0, output: "turn 1\n" });
});
