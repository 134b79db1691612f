import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { gitGuardIn, stateDirectoryIn } from "../../src/platform/files/install-records.ts";
import { setGuard } from "../cli/support/cli-world.ts";
import {
  agentsIn,
  differences,
  GitWorld,
  HOLDER,
  snapshot,
  typed,
  WRITER,
  writeProgram,
} from "./git-layer/git-world.ts";
import { hookManager } from "./git-layer/hook-managers.ts";
import { verifies } from "./verifies.ts";

const COMMIT = "git commit -q --allow-empty -m x";

async function worldWith(): Promise<GitWorld> {
  const world = new GitWorld(null);
  world.makeRepository();
  await world.installed();
  return world;
}

verifies("G3", "only deny and strict refuse, and strict also refuses while nobody holds the stick", async () => {
  const world = await worldWith();
  const { writer, holder } = await agentsIn(world, "advise");
  const outcome = async () => {
    const { code, stderr } = await typed(writer, COMMIT, WRITER);
    return code === 0 ? "allowed" : (/Get the stick first: `([^`]+)`/.exec(stderr)?.[1] ?? stderr);
  };
  expect(await outcome()).toBe("allowed");
  await setGuard(world, "deny");
  expect(await outcome()).toBe("tt wait");
  expect((await holder.tt("release --status done --next-action go --json", "holder-1")).code).toBe(0);
  expect(await outcome()).toBe("allowed");
  await setGuard(world, "strict");
  expect(await outcome()).toBe("tt try");
  expect((await writer.tt("try", "writer-1")).code).toBe(0);
  expect(await outcome()).toBe("allowed");
  await setGuard(world, "off");
  expect(await outcome()).toBe("allowed");
});

verifies("G3", "what is not refused is recorded, and holder and writer are told once", async () => {
  const world = await worldWith();
  const { writer, holder } = await agentsIn(world, "advise");
  await holder.hook("session-start", "holder-1");
  await writer.hook("session-start", "writer-1");
  for (const _ of [1, 2]) expect((await typed(writer, COMMIT, WRITER)).code).toBe(0);
  expect((await typed(writer, "git fetch -q origin", WRITER)).code).toBe(0);
  const events = await world.eventsOf("foreign_write");
  const payload = {
    paths: ["HEAD", "refs/heads/main"],
    more: 0,
    evidence: "git_ref",
    tool: "git commit",
    during_turn: 1,
  };
  expect(events).toMatchObject([{ from_agent_id: expect.stringMatching(/^claude:/), payload }, { payload }]);
  const told = [await holder.hook("prompt", "holder-1"), await holder.hook("prompt", "holder-1")].map(
    ({ said }) => said,
  );
  expect(told[0]).toMatch(/claude moved HEAD, refs\/heads\/main in git during your turn 1, without the stick/);
  expect(told[1]).not.toContain("without the stick");
  expect((await writer.hook("prompt", "writer-1")).said).toMatch(
    /You moved HEAD, refs\/heads\/main in git without the stick, while codex held it \(turn 1\)/,
  );
});

verifies("G3", "the project's own hook runs first, with the same words and refs, and what it says counts", async () => {
  const world = new GitWorld(null);
  world.makeRepository();
  const log = join(world.root, "own.log");
  const own = (code: number) =>
    `#!/bin/sh\n{ echo "$(basename "$0") $*"; cat; } >>'${log}'\n[ "$1" != prepared ] || exit ${code}\n`;
  const hook = join(world.tree, ".git/hooks/reference-transaction");
  writeProgram(hook, own(0));
  const seen = () => {
    const text = readFileSync(log, "utf8").replaceAll(/[0-9a-f]{40}/g, "ID");
    rmSync(log);
    return text;
  };
  world.must(COMMIT);
  const bare = seen();
  await world.installed();
  world.must(COMMIT);
  expect(seen()).toBe(bare);
  const { writer } = await agentsIn(world, "deny");
  world.must(COMMIT);
  expect(seen()).toBe(bare);
  expect((await typed(writer, COMMIT, WRITER)).stderr).toContain("Refused: codex");
  expect(seen()).toBe(bare.replace("committed", "aborted"));
  writeProgram(join(world.tree, ".git/hooks/talking-stick/reference-transaction"), own(3));
  const { code, stderr } = await typed(writer, COMMIT, WRITER);
  expect([code, stderr.includes("Refused")]).toEqual([128, false]);
  expect(world.sh(COMMIT).code).toBe(128);
  await world.layer.remove(world.tree);
  expect(readFileSync(hook, "utf8")).toBe(own(3));
});

verifies("G3", "a linked working tree is judged by its own room", async () => {
  const world = await worldWith();
  const linked = join(world.root, "linked");
  world.must(`git worktree add -q ${linked} side`);
  const { writer, holder } = await agentsIn(world, "strict");
  const there = `cd ${linked} && ${COMMIT}`;
  expect((await typed(writer, there, WRITER)).code).toBe(0);
  expect((await holder.tt(`try --path ${linked}`, "holder-1")).code).toBe(0);
  await setGuard(world, "deny", { cwd: linked });
  const refused = await typed(writer, there, WRITER);
  expect([refused.code, refused.stderr]).toEqual([128, expect.stringContaining("Refused: codex holds the stick")]);
  const fromOutside = await typed(
    writer,
    `cd / && git --git-dir=${world.tree}/.git --work-tree=${world.tree} ${COMMIT.slice(4)}`,
    WRITER,
  );
  expect([fromOutside.code, fromOutside.stderr]).toEqual([
    128,
    expect.stringContaining("Refused: codex holds the stick"),
  ]);
});

verifies("G3", "without our program, in a copied checkout for example, nothing is refused", async () => {
  const world = await worldWith();
  const { writer } = await agentsIn(world, "strict");
  expect((await typed(writer, COMMIT, WRITER)).code).toBe(128);
  const program = gitGuardIn(stateDirectoryIn(world.home));
  cpSync(program, `${program}.kept`);
  rmSync(program);
  expect((await typed(writer, COMMIT, WRITER)).code).toBe(0);
  expect((await typed(writer, "git rebase -q side", WRITER)).code).toBe(0);
});

verifies("G3", "a store that cannot be read refuses nothing, and the log of hooks says why", async () => {
  const world = await worldWith();
  const { writer } = await agentsIn(world, "strict");
  for (const name of ["tt.db", "tt.db-wal", "tt.db-shm"]) rmSync(join(world.data, name), { force: true });
  mkdirSync(join(world.data, "tt.db"));
  expect((await typed(writer, COMMIT, WRITER)).code).toBe(0);
  expect(world.log).toMatch(/git reference-transaction: store_\w+: /);
  rmSync(join(world.data, "tt.db"), { recursive: true });
  writeFileSync(join(world.data, "tt.db"), "not a database".repeat(1000), { mode: 0o600 });
  expect((await typed(writer, COMMIT, WRITER)).code).toBe(0);
});

for (const name of ["husky", "lefthook"] as const) {
  const manager = hookManager(name);
  if (manager === null) continue;
  verifies("G3", `beside ${name}, whose own hooks still run`, async () => {
    const world = new GitWorld(null);
    world.makeRepository();
    manager.setUp(world);
    const before = snapshot(world);
    await world.installed();
    const { writer, holder } = await agentsIn(world, "deny");
    for (const line of [`${COMMIT} --no-verify`, COMMIT, "git branch new", "git rebase side"]) {
      const { code, stderr } = await typed(writer, line, WRITER);
      expect([line, code === 0, stderr]).toEqual([line, false, expect.stringContaining("Refused: codex")]);
    }
    // Set up again, as with each npm install.
    manager.setUp(world);
    expect((await typed(writer, COMMIT, WRITER)).stderr).toContain("Refused: codex");
    const { code, stderr } = await typed(holder, "echo x >>first.txt && git commit -qam x", HOLDER);
    expect([code, stderr]).toEqual([0, expect.stringContaining("the project's own pre-commit")]);
    expect(world.sh("git rebase -q side").code).toBe(0);
    world.must("git reset -q --hard ORIG_HEAD");
    await world.layer.remove(world.tree);
    const left = differences(before, snapshot(world)).filter((path) => /^\.(?:husky|git\/hooks)\//.test(path));
    expect(left).toEqual([]);
  });
}
