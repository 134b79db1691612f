/** `tt guard`: a person sets the mode and git's hooks together, or changes nothing. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, makeRepository } from "../support/git-repository.ts";
import { asPerson, CliWorld, setGuard } from "./support/cli-world.ts";
import { InstallWorld } from "./support/install-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";

async function repositoryWithRoom(): Promise<CliWorld> {
  const world = new CliWorld();
  makeRepository(world.tree);
  await world.done("join", { as: "a:1" });
  return world;
}

const hooksIn = ({ tree }: CliWorld) =>
  readdirSync(join(tree, ".git/hooks"))
    .filter((name) => !name.endsWith(".sample"))
    .toSorted();
const hasHooks = (world: CliWorld) =>
  hooksIn(world).length > 0 || readFileSync(join(world.tree, ".git/config"), "utf8").includes("talking-stick");

async function modeIn(world: CliWorld): Promise<unknown> {
  const { room } = (await world.done("state --json")).json() as { room: { guard: string } };
  return room.guard;
}

const now = async (world: CliWorld) => [await modeIn(world), hasHooks(world)];

describe("a person at a terminal", () => {
  it.each(["n\n", "\n", "\u0004"])("changes nothing with %j as the answer", async (answer) => {
    const world = await repositoryWithRoom();
    const { stdout } = await asPerson(world, "guard deny", { input: answer });
    expect(stdout).toContain('set deny? "No" changes nothing. [y/N]');
    expect(stdout).toContain("Nothing was changed. For the mode alone: tt guard deny --no-git");
    expect(await now(world)).toEqual(["off", false]);
  });

  atTerminal("changes nothing with Ctrl-C", async () => {
    const world = await repositoryWithRoom();
    const terminal = new Terminals(world).open("person");
    terminal.type("tt guard deny");
    await terminal.until(/\[y\/N\]/);
    expect(await now(world)).toEqual(["off", false]);
    terminal.press("C-c");
    await terminal.until(/Nothing was changed\./);
    expect(await now(world)).toEqual(["off", false]);
  });

  it("sets both with yes, and both go with off", async () => {
    const world = await repositoryWithRoom();
    const { code } = await asPerson(world, "guard deny", { input: "y\n" });
    expect([code, ...(await now(world))]).toEqual([0, "deny", true]);
    expect((await asPerson(world, "guard off")).code).toBe(0);
    expect(await now(world)).toEqual(["off", false]);
  });

  it("takes git's hooks away although a closed room of the repository was guarded", async () => {
    const world = await repositoryWithRoom();
    const other = join(world.home, "other");
    git(world.tree, "worktree", "add", "-q", "--detach", other);
    await world.done(`join ${other}`, { as: "a:1" });
    for (const path of [world.tree, other]) {
      expect((await asPerson(world, `guard deny --yes --path ${path}`)).code).toBe(0);
    }
    expect((await asPerson(world, `close ${other}`)).code).toBe(0);
    expect((await asPerson(world, "guard off")).code).toBe(0);
    expect(await now(world)).toEqual(["off", false]);
  });

  it("sets the mode alone with --no-git, and is then asked nothing", async () => {
    const world = await repositoryWithRoom();
    expect((await asPerson(world, "guard deny --no-git")).code).toBe(0);
    expect(await now(world)).toEqual(["deny", false]);
  });

  it("changes nothing if git's hooks cannot be written", async () => {
    const world = await repositoryWithRoom();
    const state = join(world.home, ".local/state/tt");
    mkdirSync(state, { recursive: true });
    // A file where the directory of our script must be.
    writeFileSync(join(state, "hooks"), "");
    const { code, stdout } = await asPerson(world, "guard deny --yes");
    expect([code, stdout]).toEqual([5, expect.stringContaining("Nothing was changed.")]);
    expect(stdout).toContain("--no-git");
    expect(await now(world)).toEqual(["off", false]);
  });

  it("is not asked about a room that is closed", async () => {
    const world = await repositoryWithRoom();
    await asPerson(world, "close");
    const { code, stdout } = await asPerson(world, "guard deny");
    expect(code).not.toBe(0);
    expect(stdout).not.toContain("[y/N]");
    expect(hasHooks(world)).toBe(false);
  });

  it("is told that a closed room guards nothing, whatever its mode", async () => {
    const world = await repositoryWithRoom();
    await setGuard(world, "strict");
    expect((await asPerson(world, "")).stdout).toContain("guard: strict, advisory");
    await asPerson(world, "close");
    expect((await asPerson(world, "")).stdout).not.toContain("guard");
    const { stdout } = await asPerson(world, "guard");
    expect(stdout).toContain("strict: the room is closed, so nothing is guarded\nTo reopen it: tt join");
  });

  it("is told if hooks stay that cannot be removed, and the mode is set anyway", async () => {
    const world = await repositoryWithRoom();
    const husky = world.directory("tree/.husky/_");
    writeFileSync(join(husky, ".gitignore"), "*");
    writeFileSync(join(husky, "pre-rebase"), '#!/usr/bin/env sh\n. "$(dirname "$0")/h"', { mode: 0o755 });
    appendFileSync(join(world.tree, ".git/config"), "[core]\n\thooksPath = .husky/_\n");
    expect((await asPerson(world, "guard deny --yes")).code).toBe(0);
    // Another program changes the file in which our lines are; which one that is depends on the version of git.
    for (const lock of [".git/config.lock", ".husky/_/pre-rebase.lock"]) writeFileSync(join(world.tree, lock), "");
    const { code, stdout } = await asPerson(world, "guard off");
    expect([code, stdout]).toEqual([5, expect.stringContaining("The guard is set to off, but git's hooks stay.")]);
    expect(await modeIn(world)).toBe("off");
  });

  it("is told by tt policy which command sets mode and hooks", async () => {
    const world = await repositoryWithRoom();
    const { code, stdout } = await asPerson(world, "policy lease_ttl_ms=10m guard=deny");
    expect([code, stdout]).toEqual([2, expect.stringContaining("tt guard deny")]);
    expect(await now(world)).toEqual(["off", false]);
  });

  it("without a terminal for the answer is told of --yes", async () => {
    const world = await repositoryWithRoom();
    const line = `'${process.execPath}' '${world.program}' guard deny </dev/null`;
    const { code, stdout } = await world.startProgram("script", ["-qfec", line, "/dev/null"]).ended;
    expect([code, stdout]).toEqual([2, expect.stringContaining("Add --yes, or --no-git")]);
    expect(await now(world)).toEqual(["off", false]);
  });
});

describe.each([[undefined], ["a:1"]])("without a terminal, as %s", (as) => {
  it.each(["deny", "off"])("tt guard %s says at once that a person must do it", async (mode) => {
    const world = await repositoryWithRoom();
    const { code, stderr } = await world.tt(`guard ${mode}`, as === undefined ? {} : { as });
    expect([code, stderr]).toEqual([5, expect.stringContaining("Only a person at a terminal may set the guard.")]);
    expect(stderr).toContain(`in a terminal of their own: tt guard ${mode}`);
    expect(stderr).not.toContain("--agent");
    expect(existsSync(join(world.home, ".local/state/tt"))).toBe(false);
  });
});

async function withHarnesses(): Promise<InstallWorld> {
  const world = new InstallWorld();
  for (const name of [".claude", ".codex"]) mkdirSync(join(world.home, name));
  makeRepository(world.tree);
  // The programs of harnesses are not here, but git is.
  await world.done("install claude codex --guard --yes");
  await world.done("join", { as: "a:1" });
  expect((await asPerson(world, "guard deny --yes")).code).toBe(0);
  expect(hasHooks(world)).toBe(true);
  return world;
}

describe("tt uninstall", () => {
  it("of one harness leaves git's hooks for the other, says where and how they go; the last one takes them along", async () => {
    const world = await withHarnesses();
    const { stdout } = await world.done("uninstall claude --yes");
    expect(hasHooks(world)).toBe(true);
    expect(stdout).toContain(`because of Codex:\n  ${world.tree}/.git\n`);
    expect(stdout).toContain("tt guard off");
    expect((await world.done("uninstall codex --print --yes")).stdout).toContain(".git/");
    expect(hasHooks(world)).toBe(true);
    const { git_hooks: hooks } = (await world.done("uninstall codex --json --yes")).json() as {
      git_hooks: { restored: string[]; left: string[] };
    };
    expect([hooks.restored.length > 0, hooks.left]).toEqual([true, []]);
    expect(hasHooks(world)).toBe(false);
    expect(existsSync(world.state)).toBe(false);
  });

  it("without a name takes git's hooks along, and with --print only says so", async () => {
    const world = await withHarnesses();
    expect((await world.done("uninstall --print --yes")).stdout).toContain("Git, which asks the guard\n  restore  ");
    expect(hasHooks(world)).toBe(true);
    await world.done("uninstall --yes");
    expect(hasHooks(world)).toBe(false);
  });
});
