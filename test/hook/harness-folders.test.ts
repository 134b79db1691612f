/**
 * A harness is one folder and one line of the registry. Here one harness is taken out of a copy of the sources and a new
 * one is put in, each by its folder and its line alone, and the program that is built of them is used.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HookEvent } from "../../src/hooks/rules/hook.ts";
import { type AnyHarness, type HookRun, HookWorld } from "./support/hook-world.ts";

const root = resolve(import.meta.dirname, "../..");
/** Below the project, where packages are found. */
const tree = join(root, ".cache", `tree-${process.pid}`);

const A = "11111111-aaaa-4aaa-8aaa-111111111111";

beforeAll(() => {
  mkdirSync(tree, { recursive: true });
  for (const name of ["src", "scripts", "skills", "package.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(tree, name), { recursive: true });
  }
  const registry = join(tree, "src/harness/registry.ts");
  const lines = readFileSync(registry, "utf8").split("\n");
  rmSync(join(tree, "src/harness/gemini"), { recursive: true });
  const left = lines.filter((line) => !line.includes('"./gemini/'));
  expect(left).toHaveLength(lines.length - 1);
  mkdirSync(join(tree, "src/harness/newcomer"));
  const folder = readFileSync(join(root, "test/harness-fixtures/newcomer/index.ts"), "utf8");
  writeFileSync(join(tree, "src/harness/newcomer/index.ts"), folder.replaceAll('"../../../src/', '"../../'));
  writeFileSync(registry, `${left.join("\n")}export { newcomer } from "./newcomer/index.ts";\n`);
  execFileSync(process.execPath, [join(tree, "scripts/build.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

class TreeWorld extends HookWorld {
  constructor() {
    super(join(tree, "dist/tt.cjs"));
  }

  /** As `tt install` has written it into the harness's configuration. */
  override commandOf(harness: AnyHarness, event: HookEvent): string {
    const settings = join(this.directory(`home/.${harness}`), "settings.json");
    const commands = [...readFileSync(settings, "utf8").matchAll(/"command": "(test .*)"/g)].map(([, line]) => line);
    const command = commands.find((line) => line?.endsWith(` ${harness} ${event}`));
    if (command === undefined) throw new Error(`${settings} has no hook for ${event}`);
    return command;
  }
}

async function installed(...names: readonly AnyHarness[]): Promise<TreeWorld> {
  const world = new TreeWorld();
  for (const name of names) world.directory(`home/.${name}`);
  await world.done(["install", ...names, "--yes"]);
  return world;
}

test("the sources have the right types", () => {
  writeFileSync(join(tree, "tsconfig.src.json"), JSON.stringify({ extends: "./tsconfig.json", include: ["src"] }));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(tree, "tsconfig.src.json")], { stdio: "pipe" });
});

test("the harness that was taken out is not known, and its hooks are silent", async () => {
  const world = new TreeWorld();
  expect((await world.done("install --help")).stdout.replaceAll("\n", " ")).toContain(
    "claude, codex, newcomer, opencode.",
  );
  expect(await world.tt("install gemini --yes")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no harness") as string,
  });
  const gemini = world.harness("gemini");
  const command = `'${world.script}' gemini prompt`;
  expect(await gemini.run(command, JSON.stringify({ session_id: A, cwd: world.tree }))).toMatchObject({ stdout: "" });
  expect(world.log).toContain("there is no such hook");
});

/** A hook that ran out of time says nothing, and the next one says it. */
async function untilSaid(hook: () => Promise<HookRun>, said: string): Promise<void> {
  await expect.poll(async () => (await hook()).said).toContain(said);
}

test("a harness that is still there gets its mail", async () => {
  const world = await installed("claude");
  const claude = world.harness("claude");
  await claude.hook("prompt", A);
  await world.done("msg send claude hello", { as: "peer:1" });
  await untilSaid(() => claude.hook("prompt", A), "\n  hello\n");
});

test("the new harness is set up, recognised, and joined, and its hooks deliver mail", async () => {
  const world = await installed("newcomer");
  const newcomer = world.harness("newcomer");
  await world.done("join", { as: "peer:1" });
  await untilSaid(() => newcomer.hook("session-start", A, { source: "startup" }), "You are newcomer in ");
  const known = JSON.parse((await newcomer.tt("whoami --json", A)).stdout) as Record<string, unknown>;
  expect(known).toMatchObject({ harness: "newcomer", session_id: A });
  await world.done("msg send newcomer hello", { as: "peer:1" });
  await untilSaid(() => newcomer.hook("prompt", A), "\n  hello\n");
  // The shell finds the session by its variable, and sees the flag.
  await newcomer.hook("stop", A);
  await world.done("msg send newcomer again", { as: "peer:1" });
  expect(world.flagOf(A)).toBe(true);
  await untilSaid(() => newcomer.hook("pre-tool", A), "\n  again\n");
});
