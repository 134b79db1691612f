/** The package as it would be published, used by a program that has nothing else of this project. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const root = resolve(import.meta.dirname, "../..");
/** What npm would install beside it, and what the user's own project brings. */
const NEIGHBOURS = ["@photostructure", "node-gyp-build", "@types", "undici-types"];

const EXAMPLE = `
import { type EventView, Fault, type Handoff, isRefusal, openTalkingStick, type Refusal, type TurnAnswer } from "talking-stick";
async function main(): Promise<string> {
  const stick = await openTalkingStick({ agentId: "script:example" });
  if (isRefusal(stick)) return stick.next;
  const room = await stick.joinPath({ contextPath: "." });
  if (isRefusal(room)) return room.message;
  const turn: TurnAnswer | Refusal = await stick.waitForTurn({ roomId: room.roomId, maxWaitMs: 0 });
  if (isRefusal(turn) || turn.status !== "your_turn") return "not yet";
  const handoff: Handoff = { status: "parser done", nextAction: "write the tests", artifacts: [], openQuestions: [], doNot: [] };
  const released = await stick.releaseStick({ roomId: room.roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId, handoff });
  const log = await stick.getRoomEvents({ roomId: room.roomId });
  await stick.close();
  if (isRefusal(released) || isRefusal(log)) return "refused";
  const types: readonly string[] = log.events.map((event: EventView) => event.eventType);
  return types.join(" ");
}
main().then(console.log, (error: unknown) => console.error(error instanceof Fault ? error.code : error));
`;

/** The project's published files, with the build under test and its types as dist, and what npm packs of them. */
const published = mkdtempSync(join(tmpdir(), "tt-package-"));
let packed = "";

beforeAll(() => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  for (const name of ["package.json", "README.md", "LICENSE", ...files.filter((file) => file !== "dist")])
    cpSync(join(root, name), join(published, name), { recursive: true });
  const dist = join(published, "dist");
  cpSync(dirname(inject("tt")), dist, { recursive: true });
  execFileSync(process.execPath, [join(root, "scripts/declarations.mjs"), dist]);
  const words = ["pack", "--ignore-scripts", "--silent"];
  packed = join(published, execFileSync("npm", words, { cwd: published, encoding: "utf8" }).trim());
});
afterAll(() => rmSync(published, { recursive: true, force: true }));

/** A project of another user, with the package installed. */
function projectWithPackage() {
  const project = temporaryDirectory();
  const run = (program: string, args: readonly string[], options: { cwd?: string; env?: object } = {}) =>
    execFileSync(program, args, {
      cwd: project,
      encoding: "utf8",
      ...options,
      env: { ...process.env, ...options.env },
    });
  const modules = join(project, "node_modules");
  const inside = join(modules, "talking-stick");
  mkdirSync(inside, { recursive: true });
  run("tar", ["-xf", packed, "-C", inside, "--strip-components=1"]);
  for (const name of NEIGHBOURS) symlinkSync(join(root, "node_modules", name), join(modules, name));
  const compilerOptions = { strict: true, module: "nodenext", target: "es2023", types: ["node"], outDir: "out" };
  writeFileSync(join(project, "package.json"), "{}");
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts", "*.cts"] }));
  return {
    inside,
    write: (name: string, text: string) => writeFileSync(join(project, name), text),
    compile: () => run(process.execPath, [join(root, "node_modules/typescript/bin/tsc")]),
    node: (...args: string[]) =>
      run(process.execPath, args, { env: { TT_DATA_DIR: join(project, "data"), HOME: project } }),
  };
}

it("holds the program, the library, its types, and no sources", () => {
  const { inside, node } = projectWithPackage();
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
    "everyday.cjs",
    "hook-program.cjs",
    "hook.cjs",
    "index.js",
    "install.cjs",
    "keep-code.cjs",
    "mailbox.js",
    "mcp.cjs",
    "memory.cjs",
    "migrations.cjs",
    "opencode-plugin.js",
    "postgres.cjs",
    "program.cjs",
    "terminals.cjs",
    "tt.cjs",
    "types",
  ];
  expect(readdirSync(join(inside, "dist")).toSorted()).toEqual(built);
  expect(node(join(inside, "dist/tt.cjs"), "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it.each([
  ["imported", "example.mts", "out/example.mjs"],
  ["required", "example.cts", "out/example.cjs"],
])("an example compiles strictly and runs, with the library %s", (_, source, compiled) => {
  const { write, compile, node } = projectWithPackage();
  write(source, EXAMPLE);
  compile();
  expect(node("--no-warnings", compiled)).toBe("member_joined claim release\n");
});

it("an example that is wrong does not compile", () => {
  const { write, compile } = projectWithPackage();
  write("wrong.mts", `import { openTalkingStick } from "talking-stick"; void openTalkingStick({ agent: 1 });`);
  expect(compile).toThrow();
});
