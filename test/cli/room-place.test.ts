/** A room says where it is where its path does not: inside another one, or under a new name of its directory. */
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withDatabase } from "../support/database-dump.ts";
import { makeRepository } from "../support/git-repository.ts";
import { asPerson, CliWorld, PERSON } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

/** One line each, however the text was broken. */
const flat = (text: string) => text.replace(/\s+/g, " ");

async function nested() {
  const world = new CliWorld();
  makeRepository(world.tree);
  const inner = world.directory("tree/vendor/inner");
  makeRepository(inner);
  await world.done("try", B);
  return { world, inner };
}

async function renamed(between: (directory: string) => void = () => undefined) {
  const world = new CliWorld();
  const [old, now] = [world.directory("old"), join(world.root, "new")];
  makeRepository(old);
  const options = { ...A, cwd: old, env: { TT_RECORD: "off" } };
  await world.done("try", options);
  await world.done("release --status done --next-action go", options);
  between(old);
  renameSync(old, now);
  return { world, old, now };
}

const QUIET = { env: { TT_RECORD: "off" } };
const git = (cwd: string, ...words: string[]) =>
  execFileSync("git", ["-c", "user.email=a@b", "-c", "user.name=a", ...words], { cwd, stdio: "ignore" });

/** An agent has handed over in the directory. */
async function used(world: CliWorld, cwd: string): Promise<void> {
  await world.done("try", { ...A, ...QUIET, cwd });
  await world.done("release --status done --next-action go", { ...A, ...QUIET, cwd });
}

const formerlyAt = async (world: CliWorld, cwd: string) =>
  (await world.done("join --json", { ...B, cwd })).json()["formerly"];

describe("a repository inside another one", () => {
  it("gets a room of its own, and the answer of a wait says whose stick is held around it", async () => {
    const { world, inner } = await nested();
    const { stdout } = await world.done("wait", { ...A, cwd: inner });
    expect(flat(stdout)).toContain(`This is inside ${world.tree}, whose stick is held by b. Each has its own stick.`);
    expect(stdout).toContain("Your turn: turn 1");
    // It was said when the room was created.
    expect((await world.done("wait", { ...A, cwd: inner })).stdout).not.toContain("inside");
    expect(flat((await world.done("join", { ...A, cwd: inner })).stdout)).toContain(`This is inside ${world.tree},`);
    expect(flat((await world.done("", { ...A, cwd: inner })).stdout)).toContain("whose stick is held by b.");
  });

  it("is told apart in JSON, too, also before there is a room", async () => {
    const { world, inner } = await nested();
    const inside = { canonical_path: world.tree, owner: "b:2", room_id: expect.any(String) };
    expect((await world.done("--json", { ...A, cwd: inner })).json()).toMatchObject({ room: null, inside });
    expect((await world.done("try --json", { ...A, cwd: inner })).json()).toMatchObject({
      status: "your_turn",
      inside,
    });
    expect((await world.done("join --json", { ...A, cwd: inner })).json()).toMatchObject({ inside });
    expect((await world.done("try --json", B)).json()).not.toHaveProperty("inside");
  });

  it("is told which agent the stick around it is reserved for, and that the room around it is paused", async () => {
    const { world, inner } = await nested();
    await world.done("join", { as: "c:3" });
    await asPerson(world, "give c:3 --yes");
    expect(flat((await world.done("join", { ...A, cwd: inner })).stdout)).toContain(
      `This is inside ${world.tree}, whose stick is reserved for c. Each has its own stick.`,
    );
    await asPerson(world, "pause");
    expect(flat((await world.done("join", { ...A, cwd: inner })).stdout)).toContain(
      `This is inside ${world.tree}, which is paused and whose stick is reserved for c.`,
    );
    expect((await world.done("join --json", { ...A, cwd: inner })).json()).toMatchObject({
      inside: { owner: null, reserved_for: "c:3", paused: { by: PERSON } },
    });
  });

  it("a closed room around does not count", async () => {
    const { world, inner } = await nested();
    await asPerson(world, "close --operator-requested");
    expect((await world.done("join --json", { ...A, cwd: inner })).json()).not.toHaveProperty("inside");
  });
});

describe("a directory that was renamed", () => {
  it("is recognised by its repository, wherever its room is asked for", async () => {
    const { world, old, now } = await renamed();
    const here = { ...B, cwd: now };
    const formerly = `This repository had a room at ${old}. That directory is gone.`;
    const glance = await world.done("", here);
    const { stdout } = await world.done("wait", here);
    for (const said of [glance.stdout, stdout]) expect(said.replaceAll("\n", " ")).toContain(formerly);
    const [, look = ""] = /Look at it with: tt (.*)/.exec(stdout) ?? [];
    expect((await world.done(look, here)).stdout).toContain("next action   go");
    // As soon as there is a handoff here, the history is here.
    await world.done("release --status more --next-action go", here);
    expect((await world.done("", here)).stdout).not.toContain("This repository had a room");
  });

  it("also if work was committed since", async () => {
    const { world, old, now } = await renamed((directory) => {
      writeFileSync(join(directory, "more.txt"), "more");
      git(directory, "add", "more.txt");
      git(directory, "commit", "-q", "-m", "more");
    });
    const { formerly } = (await world.done("join --json", { ...B, cwd: now })).json();
    expect(formerly).toMatchObject({ canonical_path: old });
  });

  it("another repository is not taken for it, and neither is one whose old directory is still there", async () => {
    const { world, now } = await renamed();
    const other = world.directory("other");
    execFileSync("git", ["init", "-q"], { cwd: other });
    writeFileSync(join(other, "a.txt"), "other");
    git(other, "add", ".");
    git(other, "commit", "-q", "-m", "another beginning");
    expect((await world.done("join --json", { ...B, cwd: other })).json()).not.toHaveProperty("formerly");
    const clone = join(world.root, "clone");
    execFileSync("git", ["clone", "-q", now, clone]);
    await world.done("join", { ...B, cwd: now });
    expect((await world.done("", { ...B, cwd: now })).stdout).toContain("This repository had a room");
    world.directory("old");
    expect((await world.done("join --json", { ...B, cwd: clone })).json()).not.toHaveProperty("formerly");
  });
});

describe("a directory that was not renamed", () => {
  it("is a new worktree, after another one was removed", async () => {
    const world = new CliWorld();
    makeRepository(world.tree);
    const [first, second] = [join(world.root, "wt1"), join(world.root, "wt2")];
    git(world.tree, "worktree", "add", first);
    await used(world, first);
    git(world.tree, "worktree", "remove", "--force", first);
    git(world.tree, "worktree", "add", second);
    expect(await formerlyAt(world, second)).toBeUndefined();
  });

  it("is a clone that is younger than the room of the one that was deleted", async () => {
    const world = new CliWorld();
    makeRepository(world.tree);
    const [first, second] = [join(world.root, "clone1"), join(world.root, "clone2")];
    git(world.tree, "clone", world.tree, first);
    await used(world, first);
    git(world.tree, "clone", world.tree, second);
    rmSync(first, { recursive: true });
    expect(await formerlyAt(world, second)).toBeUndefined();
  });

  it("is one of several clones that it may have been", async () => {
    const world = new CliWorld();
    makeRepository(world.tree);
    const clones = ["clone1", "clone2", "clone3"].map((name) => join(world.root, name));
    for (const clone of clones) git(world.tree, "clone", world.tree, clone);
    const [first, second, third] = clones as [string, string, string];
    await used(world, first);
    await world.done("join", { ...A, cwd: third });
    rmSync(first, { recursive: true });
    expect(await formerlyAt(world, second)).toBeUndefined();
  });
});

it("lists mark a directory that is gone", async () => {
  const world = new CliWorld();
  const gone = world.directory("gone");
  await world.done("try", { ...A, cwd: gone });
  await world.done("join", B);
  rmSync(gone, { recursive: true });
  const { stdout } = await world.done("list --all");
  expect(stdout).toContain(`owned       ${gone} (this directory is gone)\n`);
  expect(stdout).toContain(`${world.tree}\n`);
  const { rooms } = (await world.done("list --all --json")).json() as { rooms: Record<string, unknown>[] };
  const vanished = new Map(rooms.map((room) => [room["canonical_path"], room["vanished"]]));
  expect(vanished).toEqual(
    new Map<unknown, unknown>([
      [gone, true],
      [world.tree, undefined],
    ]),
  );
});

it("tt shows the room here even if another room of the machine is damaged", async () => {
  const world = new CliWorld();
  const [here, other] = [world.directory("here"), world.directory("other")];
  for (const path of [here, other]) makeRepository(path);
  await world.done("join", { ...A, cwd: other });
  await world.done("join", { ...A, cwd: here });
  withDatabase(world.database, (db) => db.prepare("UPDATE rooms SET policy = '{' WHERE path = ?").run(other));
  for (const cwd of [here, world.directory("nowhere")]) {
    const { code, stderr } = await world.tt("", { ...A, cwd });
    expect([cwd, code, stderr]).toEqual([cwd, 0, ""]);
  }
});
