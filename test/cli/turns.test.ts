/** The turns of two agents in a repository, by the built program. */
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git, makeRepository } from "../support/git-repository.ts";
import { CliWorld } from "./support/cli-world.ts";

const HANDOFF = ["--status", "parser done", "--next-action", "write the tests"];
/** A busy machine must not skip a snapshot. */
const PATIENT = { TT_SNAPSHOT_MAX_MS: "60000" };

async function twoTurns(): Promise<CliWorld> {
  const world = new CliWorld();
  makeRepository(world.tree);
  const [a, b] = ["a:1", "b:2"].map((as) => ({ as, cwd: world.tree, env: PATIENT }));
  await world.done("join", a);
  await world.done("join", b);
  await world.done("try", a);
  appendFileSync(join(world.tree, "first.txt"), "two\n");
  await world.done(["release", ...HANDOFF], a);
  await world.done("try", b);
  rmSync(join(world.tree, "first.txt"));
  await world.done(["release", ...HANDOFF], b);
  return world;
}

it("a turn is listed with its files, and its patch applies in a pipe", async () => {
  const world = await twoTurns();
  const { turns } = (await world.done("turns --json", { as: "a:1", cwd: world.tree })).json() as { turns: object[] };
  expect(turns).toMatchObject([
    { turn_id: 1, agent_id: "a:1", ended: "release", files: 1, added: 1, removed: 0, record: "kept" },
    { turn_id: 2, agent_id: "b:2", ended: "release", files: 1, added: 0, removed: 2, record: "kept" },
  ]);
  const { stdout } = await world.done("turn diff 1 --text", { as: "a:1", cwd: world.tree });
  git(world.tree, "checkout", "--quiet", "first.txt");
  const patch = join(world.root, "turn.patch");
  appendFileSync(patch, stdout);
  git(world.tree, "apply", patch);
  expect(readFileSync(join(world.tree, "first.txt"), "utf8")).toBe("one\ntwo\n");
});

it("the holder restores a file from a directory below, and others are told to wait", async () => {
  const world = await twoTurns();
  const inside = { as: "b:2", cwd: world.directory("tree/src") };
  const refused = await world.tt("turn restore 1 --json -- ../first.txt", inside);
  expect([refused.code, refused.error()]).toMatchObject([5, { error: "not_authorized" }]);
  await world.done("try", inside);
  const restored = await world.done("turn restore 1 --json -- ../first.txt", inside);
  expect(restored.json()).toMatchObject({ restored: ["first.txt"], deleted: [], failed: [] });
  expect(readFileSync(join(world.tree, "first.txt"), "utf8")).toBe("one\ntwo\n");
});

it("a word that is no turn is refused with what to type", async () => {
  const world = await twoTurns();
  const { code, stderr } = await world.tt("turn show first --text", { as: "a:1", cwd: world.tree });
  expect([code, stderr]).toEqual([2, expect.stringContaining("tt turns")]);
});
