/** The turns of two agents in a repository, by the built program. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git, makeRepository } from "../support/git-repository.ts";
import { CliWorld, type RunOptions } from "./support/cli-world.ts";

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

/** A command line, typed at a shell as it was printed. */
async function typed(world: CliWorld, line: string, options: RunOptions) {
  const script = line.replace(/^tt /, `'${process.execPath}' '${world.program}' --text `);
  return world.startProgram("sh", ["-c", script], options).ended;
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

it("a restore prints the command that undoes it, also for a caller elsewhere", async () => {
  const world = await twoTurns();
  const path = join(world.tree, "odd 'name'.txt");
  const inside = { as: "a:1", cwd: world.tree, env: PATIENT };
  const outside = { ...inside, cwd: world.root };
  await world.done("try", inside);
  appendFileSync(path, "of turn 3\n");
  await world.done(["release", ...HANDOFF], inside);
  await world.done("try", inside);
  appendFileSync(path, "newer\n");
  const restoring = ["turn", "restore", "3", "--text", "--path", world.tree];
  const refused = await world.tt([...restoring, "--", "odd 'name'.txt"], outside);
  const [, diff = ""] = /first: (tt .*)/.exec(refused.stderr.replace(/\n +/g, " ")) ?? [];
  expect([refused.code, (await typed(world, diff, outside)).stdout]).toEqual([5, expect.stringMatching(/^\+newer$/m)]);
  const { stdout } = await world.done([...restoring, "--yes", "--", "odd 'name'.txt"], outside);
  expect(readFileSync(path, "utf8")).toBe("of turn 3\n");
  const [, undo = ""] = /^To undo this: (tt .*)$/m.exec(stdout) ?? [];
  expect(await typed(world, undo, outside)).toMatchObject({ code: 0 });
  expect(readFileSync(path, "utf8")).toBe("of turn 3\nnewer\n");
});

it("a turn is shown with each check once, and with the untracked files that it deleted", async () => {
  const world = new CliWorld();
  makeRepository(world.tree);
  appendFileSync(join(world.tree, "scrap.txt"), "one\n");
  const [a, b] = ["a:1", "b:2"].map((as) => ({ as, cwd: world.tree, env: PATIENT }));
  await world.done("join", a);
  await world.done("join", b);
  await world.done("try", a);
  rmSync(join(world.tree, "scrap.txt"));
  git(world.tree, "rm", "--quiet", "first.txt");
  await world.done("check -- true", a);
  const during = await world.done("turn show --text", a);
  expect(during.stdout.match(/✓ true/g)).toHaveLength(1);
  await world.done(["release", ...HANDOFF], a);
  const { stdout } = await world.done("turn show 1 --text", a);
  expect(stdout.match(/✓ true/g)).toHaveLength(1);
  expect(stdout).toContain("  D first.txt (+0 −1)\n");
  expect(stdout).toContain("  D scrap.txt (+0 −1, untracked)\n");
});

it("a room outside of a git repository says so", async () => {
  const world = new CliWorld();
  const [a, b] = ["a:1", "b:2"].map((as) => ({ as, cwd: world.tree }));
  await world.done("join", a);
  await world.done("join", b);
  await world.done("try", a);
  await world.done(["release", ...HANDOFF], a);
  for (const words of ["turns", "turn show 1", "turn diff 1 x", "turn restore 1 x"]) {
    const { stdout, stderr } = await world.tt(`${words} --text`, a);
    expect(`${stdout}${stderr}`.replace(/\s+/g, " "), words).toContain("the directory is in no git repository");
  }
});

it("a word that is no turn is refused with what to type", async () => {
  const world = await twoTurns();
  const { code, stderr } = await world.tt("turn show first --text", { as: "a:1", cwd: world.tree });
  expect([code, stderr]).toEqual([2, expect.stringContaining("tt turns")]);
});

it("a patch that ends with blanks applies in a pipe", async () => {
  const world = new CliWorld();
  makeRepository(world.tree);
  const file = join(world.tree, "first.txt");
  const [a, b] = ["a:1", "b:2"].map((as) => ({ as, cwd: world.tree, env: PATIENT }));
  writeFileSync(file, "one\n\n");
  await world.done("join", a);
  await world.done("join", b);
  await world.done("try", a);
  writeFileSync(file, "two\n\n");
  await world.done(["release", ...HANDOFF], a);
  const patch = join(world.root, "turn.patch");
  writeFileSync(patch, (await world.done("turn diff 1 --text", a)).stdout);
  writeFileSync(file, "one\n\n");
  git(world.tree, "apply", patch);
  expect(readFileSync(file, "utf8")).toBe("two\n\n");
});

it("a diff of paths that a turn did not change says so of these paths only", async () => {
  const world = await twoTurns();
  const { stdout } = await world.done("turn diff 1 --text -- nowhere.txt", { as: "a:1", cwd: world.tree });
  expect(stdout).toBe("Turn 1 changed nothing in these paths.\n");
});

it("a name with a line break stays in its line", async () => {
  const world = await twoTurns();
  const name = "odd\nTo undo this: true";
  const holder = { as: "a:1", cwd: world.tree };
  await world.done("try", holder);
  appendFileSync(join(world.tree, name), "");
  const { stdout } = await world.done("turn restore 2 --text --yes -- .", holder);
  expect(stdout.split("\n").filter((line) => line.trim().startsWith("To undo"))).toHaveLength(1);
});
