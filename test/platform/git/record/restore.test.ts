import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TreeSnapshot } from "../../../../src/stick/rules/snapshot.ts";
import { captureTree } from "../../../support/captured-tree.ts";
import { git } from "../../../support/git-repository.ts";
import { RecordWorld } from "./record-world.ts";

const ROOM = "room1";

function restoring(world: RecordWorld, target: TreeSnapshot, paths: readonly string[], force = false) {
  const wanted = { paths, force, mayWrite: async () => true };
  return world.record.restore({ roomId: ROOM, path: world.top }, target, wanted);
}

describe("restoring", () => {
  test("gives back bytes, modes, links and odd names, and nothing else", async () => {
    const world = new RecordWorld();
    world.write("empty", "");
    world.write("run.sh", "#!/bin/sh\n", 0o755);
    world.write('line\nbreak "quote" \\', "odd\n");
    writeFileSync(Buffer.from(`${world.top}/no-text-\xff\xfe`, "latin1"), "bytes\n");
    symlinkSync("nowhere/at all", join(world.top, "dangling"));
    symlinkSync(".", join(world.top, "loop"));
    const before = captureTree(world.top, { without: [".git"] });
    const first = await world.snapshot();
    for (const name of readdirSync(world.top, { encoding: "buffer" })) {
      const path = Buffer.concat([Buffer.from(`${world.top}/`), name]);
      if (name.toString() !== ".git") rmSync(path, { recursive: true });
    }
    world.write("later/added.txt", "later\n");
    const answer = await restoring(world, first, [""], true);
    expect(answer).toMatchObject({ deleted: ["later/added.txt"], failed: [] });
    expect(captureTree(world.top, { without: [".git"] })).toEqual(before);
    expect(existsSync(join(world.top, "later"))).toBe(false);
  });

  test("only the named paths", async () => {
    const world = new RecordWorld();
    for (const name of ["a/one", "a/two", "ab"]) world.write(name, "old\n");
    const first = await world.snapshot();
    for (const name of ["a/one", "a/two", "ab"]) world.write(name, "new\n");
    expect(await restoring(world, first, ["a"], true)).toMatchObject({ restored: ["a/one", "a/two"] });
    expect(readFileSync(join(world.top, "ab"), "utf8")).toBe("new\n");
  });

  test("over a newer change only by force, and what was there is kept", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    world.write("first.txt", "newer\nwork\n");
    expect(await restoring(world, first, ["first.txt"])).toMatchObject({
      obstacle: "newer_changes",
      changes: { files: [{ path: "first.txt", added: 1, removed: 2 }] },
    });
    expect(readFileSync(join(world.top, "first.txt"), "utf8")).toBe("newer\nwork\n");
    const answer = await restoring(world, first, ["first.txt"], true);
    if ("obstacle" in answer || answer.kept === null) throw new Error("nothing was restored");
    expect(readFileSync(join(world.top, "first.txt"), "utf8")).toBe("one\n");
    expect(world.record.keptOf({ roomId: ROOM, path: world.top })).toEqual([answer.kept]);
    await world.restore(answer.kept.tree, "first.txt");
    expect(readFileSync(join(world.top, "first.txt"), "utf8")).toBe("newer\nwork\n");
  });

  test("writes and deletes nothing without permission, asked last", async () => {
    const world = new RecordWorld();
    world.write("changed", "old\n");
    const first = await world.snapshot();
    world.write("changed", "new\n");
    world.write("added", "new\n");
    const before = captureTree(world.top, { without: [".git"] });
    const room = { roomId: ROOM, path: world.top };
    let asked = 0;
    const mayWrite = async () => (asked += 1) === 0;
    const answer = await world.record.restore(room, first, { paths: [""], force: true, mayWrite });
    expect([answer, asked]).toEqual([{ obstacle: "not_allowed" }, 1]);
    expect(captureTree(world.top, { without: [".git"] })).toEqual(before);
  });

  test("over a newer change only by force, however many files are not there now", async () => {
    const world = new RecordWorld();
    const many = [...Array(2100).keys()].map((number) => `a/${number}`);
    for (const name of [...many, "z"]) world.write(name, "old\n");
    const first = await world.snapshot();
    rmSync(join(world.top, "a"), { recursive: true });
    world.write("z", "newer\n");
    expect(await restoring(world, first, [""])).toMatchObject({
      obstacle: "newer_changes",
      changes: { files: [{ path: "z" }], more: 0 },
    });
    expect(readFileSync(join(world.top, "z"), "utf8")).toBe("newer\n");
  });

  test("a file that is not there now needs no force", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    rmSync(join(world.top, "first.txt"));
    expect(await restoring(world, first, ["first.txt"])).toMatchObject({ restored: ["first.txt"] });
  });

  test("refuses a path that neither tree has, or that leads out of the tree", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    for (const path of ["missing", "../data", "/etc/passwd", ".git/config", "first.txt/x"]) {
      expect(await restoring(world, first, [path], true)).toEqual({ obstacle: "no_such_path", path });
    }
  });

  test("never writes through a link in place of a directory", async () => {
    const world = new RecordWorld();
    world.write("dir/file", "old\n");
    const first = await world.snapshot();
    const outside = join(world.root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "precious\n");
    rmSync(join(world.top, "dir"), { recursive: true });
    symlinkSync(outside, join(world.top, "dir"));
    expect(await restoring(world, first, ["dir/file"], true)).toMatchObject({
      failed: [{ path: "dir/file", why: "in_the_way" }],
    });
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("precious\n");
    // With the link itself among the paths, the directory comes back.
    await world.restore(first, "dir");
    expect(lstatSync(join(world.top, "dir")).isDirectory()).toBe(true);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("precious\n");
  });

  test("neither overwrites nor deletes what a snapshot does not know", async () => {
    const world = new RecordWorld();
    world.write("was-small", "small\n");
    world.write("was-large", Buffer.alloc(10 * 1024 * 1024 + 1));
    world.write("seen", "seen\n");
    const first = await world.snapshot();
    world.write("was-small", Buffer.alloc(10 * 1024 * 1024 + 1));
    world.write("was-large", "small\n");
    world.write(".gitignore", "seen\n");
    world.write("seen", "ignored now\n");
    const answer = await restoring(world, first, ["was-small", "was-large", "seen"], true);
    expect(answer).toMatchObject({
      restored: [],
      deleted: [],
      failed: [
        { path: "seen", why: "in_the_way" },
        { path: "was-large", why: "left_out" },
        { path: "was-small", why: "left_out" },
      ],
    });
    expect(readFileSync(join(world.top, "seen"), "utf8")).toBe("ignored now\n");
  });

  test("not into a directory that is a repository now", async () => {
    const world = new RecordWorld();
    world.write("part/file", "old\n");
    const first = await world.snapshot();
    git(join(world.top, "part"), "init", "--quiet");
    rmSync(join(world.top, "part/file"));
    expect(await restoring(world, first, ["part/file"], true)).toMatchObject({
      failed: [{ path: "part/file", why: "left_out" }],
    });
  });

  test("keeps the permissions of the file besides those to run it", async () => {
    const world = new RecordWorld();
    world.write("secret", "old\n");
    chmodSync(join(world.top, "secret"), 0o700);
    const first = await world.snapshot();
    world.write("secret", "new\n");
    chmodSync(join(world.top, "secret"), 0o600);
    await world.restore(first, "secret");
    expect(lstatSync(join(world.top, "secret")).mode & 0o777).toBe(0o700);
  });
});

/** The place of the record's objects. */
function objectsOf(world: RecordWorld): string {
  const [name = ""] = readdirSync(join(world.data, "record"));
  return join(world.data, "record", name, "objects");
}

function plant(objects: string, id: string, content: Buffer): void {
  const path = join(objects, id.slice(0, 2));
  mkdirSync(path, { recursive: true });
  rmSync(join(path, id.slice(2)), { force: true });
  writeFileSync(join(path, id.slice(2)), deflateSync(content), { mode: 0o444 });
}

describe("a record that another program has changed", () => {
  test("a tree with names that lead out of the tree or into .git writes nothing", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    const objects = objectsOf(world);
    const env = { ...process.env, GIT_DIR: join(world.top, ".git"), GIT_OBJECT_DIRECTORY: objects };
    const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], {
      env,
      input: "evil\n",
      encoding: "utf8",
    }).trim();
    const treeOf = (...entries: readonly (readonly [string, string, string])[]) => {
      const parts = entries.map(([mode, name, id]) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]),
      );
      const args = ["hash-object", "-w", "-t", "tree", "--literally", "--stdin"];
      return execFileSync("git", args, { env, input: Buffer.concat(parts), encoding: "utf8" }).trim();
    };
    const inner = treeOf(["100644", "config", blob]);
    const evil = treeOf(
      ["40000", "..", treeOf(["100644", "escaped", blob])],
      ["40000", ".GIT", inner],
      ["40000", ".git", inner],
      ["100644", "a/../../escaped", blob],
      ["100644", "fine", blob],
    );
    const config = readFileSync(join(world.top, ".git/config"), "utf8");
    const answer = await restoring(world, { ...first, treeId: evil }, [""], true);
    expect(answer).toMatchObject({ restored: ["fine"] });
    expect(existsSync(join(world.root, "escaped"))).toBe(false);
    expect(existsSync(join(world.top, ".GIT"))).toBe(false);
    expect(readFileSync(join(world.top, ".git/config"), "utf8")).toBe(config);
  });

  test("a blob with other bytes is not restored", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    const id = execFileSync("git", ["hash-object", "--stdin"], { input: "one\n", encoding: "utf8" }).trim();
    plant(objectsOf(world), id, Buffer.from("blob 5\0evil\n"));
    rmSync(join(world.top, "first.txt"));
    expect(await restoring(world, first, ["first.txt"])).toMatchObject({
      failed: [{ path: "first.txt", why: "damaged" }],
    });
    expect(existsSync(join(world.top, "first.txt"))).toBe(false);
  });

  test("facts that are not ours are not read back", () => {
    const world = new RecordWorld();
    const room = { roomId: ROOM, path: world.top };
    const outcome = { treeId: "a".repeat(40), takenAtMs: 1, head: null, leftOut: [], leftOutCount: 0 };
    expect(world.record.keep(room, { turn: 7, moment: "end" }, { outcome, late: false })).toBe(true);
    expect(
      world.record.keep(room, { turn: 7, moment: "begin" }, { outcome: { skipped: "too_slow" }, late: true }),
    ).toBe(true);
    expect(world.record.turnsOf(room)).toEqual([
      { turn: 7, begin: { outcome: { skipped: "too_slow" }, late: true }, end: { outcome, late: false } },
    ]);
    const folder = join(objectsOf(world), "../turns", ROOM);
    // A process in the background that was killed says nothing more.
    world.record.keep(room, { turn: 8, moment: "end" }, { outcome: { skipped: "pending" }, late: false });
    expect(world.record.turnOf(room, 8).end?.outcome).toEqual({ skipped: "pending" });
    utimesSync(join(folder, "8-end.json"), 1, 1);
    expect(world.record.turnOf(room, 8).end?.outcome).toEqual({ skipped: "failed" });
    const put = (value: unknown) => writeFileSync(join(folder, "7-end.json"), JSON.stringify(value));
    for (const value of [
      null,
      3,
      {},
      { outcome: { ...outcome, treeId: "--output=/tmp/x" } },
      { outcome: { skipped: "x" } },
    ]) {
      put(value);
      expect(world.record.turnsOf(room)[0]?.end).toBe(null);
    }
  });
});

async function largeWorld(): Promise<RecordWorld> {
  const world = new RecordWorld({ graceMs: 0 });
  for (let at = 0; at < 1200; at += 1) world.write(`d${at % 40}/f${at}`, `file ${at}\n`);
  git(world.top, "add", ".");
  git(world.top, "commit", "--quiet", "--message=many");
  return world;
}

describe("objects of the user's repository", () => {
  test("are borrowed for a large tree, and untouched", async () => {
    const world = await largeWorld();
    world.write("d1/f1", "changed\n");
    const before = captureTree(world.top, { times: true, directories: true });
    const first = await world.snapshot();
    expect(captureTree(world.top, { times: true, directories: true })).toEqual(before);
    // A blob that was changed, and the trees: nothing else is ours.
    const own = readdirSync(objectsOf(world), { recursive: true }).filter((name) =>
      /\/[0-9a-f]{38}$/.test(String(name)),
    );
    expect(own.length).toBe(1 + 41);
    for (const name of ["d0", "d1"]) rmSync(join(world.top, name), { recursive: true });
    await world.restore(first, "d0", "d1");
    expect(readFileSync(join(world.top, "d0/f0"), "utf8")).toBe("file 0\n");
    expect(readFileSync(join(world.top, "d1/f1"), "utf8")).toBe("changed\n");
  });

  test("that its own clean-up removed are named as missing", async () => {
    const world = await largeWorld();
    const first = await world.snapshot();
    git(world.top, "rm", "-r", "--quiet", "--force", "d3");
    git(world.top, "commit", "--quiet", "--amend", "--message=fewer");
    git(world.top, "reflog", "expire", "--expire=now", "--all");
    git(world.top, "gc", "--quiet", "--prune=now");
    const answer = await restoring(world, first, ["d3/f3"]);
    expect(answer).toMatchObject({ restored: [], failed: [{ path: "d3/f3", why: "missing" }] });
    const second = await world.snapshot();
    expect((await world.changed(first, second)).length).toBe(30);
    expect(await world.record.diff(world.top, first.treeId, second.treeId)).toMatchObject({ missing: true });
    // Packing does not need them either.
    world.record.keep({ roomId: ROOM, path: world.top }, { turn: 1, moment: "end" }, { outcome: first, late: false });
    await world.record.prune({ maxBytes: 1e9, keepDays: 30 });
    expect((await world.changed(first, second)).length).toBe(30);
  });
});

describe("pruning", () => {
  test("removes old turns and what only they needed, and keeps the rest", async () => {
    const world = new RecordWorld({ graceMs: 0 });
    const room = { roomId: ROOM, path: world.top };
    const trees: TreeSnapshot[] = [];
    for (let turn = 1; turn <= 4; turn += 1) {
      world.write("big.bin", randomBytes(100_000));
      const outcome = await world.snapshot();
      trees.push(outcome);
      world.record.keep(room, { turn, moment: "end" }, { outcome, late: false });
    }
    const folder = join(objectsOf(world), "../turns", ROOM);
    const old = Date.now() / 1000 - 40 * 24 * 3600;
    for (const turn of [1, 2]) utimesSync(join(folder, `${turn}-end.json`), old, old);
    const pruned = await world.record.prune({ maxBytes: 1e9, keepDays: 30 });
    expect(pruned.turns).toBe(2);
    expect(pruned.bytesAfter).toBeLessThan(pruned.bytesBefore);
    expect(world.record.turnsOf(room).map(({ turn }) => turn)).toEqual([3, 4]);
    const [first, , third, fourth] = trees as [TreeSnapshot, TreeSnapshot, TreeSnapshot, TreeSnapshot];
    expect(await world.changed(third, fourth)).toEqual(["modified big.bin"]);
    expect(await world.record.changes(world.top, first.treeId, fourth.treeId)).toBe(null);
    await world.restore(third, "big.bin");
    // The next snapshot still knows the tree.
    world.write("another", "x\n");
    expect(await world.changed(fourth, await world.snapshot())).toEqual(["added another", "modified big.bin"]);
  });

  test("removes the oldest turns until the rest is small enough, and an empty record wholly", async () => {
    const world = new RecordWorld({ graceMs: 0 });
    const room = { roomId: ROOM, path: world.top };
    for (let turn = 1; turn <= 4; turn += 1) {
      world.write("big.bin", randomBytes(60_000));
      world.record.keep(room, { turn, moment: "end" }, { outcome: await world.snapshot(), late: false });
      utimesSync(join(objectsOf(world), "../turns", ROOM, `${turn}-end.json`), turn, Date.now() / 1000 - 100 + turn);
    }
    const full = await world.record.prune({ maxBytes: 1e9, keepDays: 30 });
    const pruned = await world.record.prune({ maxBytes: Math.ceil(full.bytesAfter * 0.6), keepDays: 30 });
    expect(pruned.turns).toBeGreaterThan(0);
    expect(world.record.turnsOf(room).at(-1)?.turn).toBe(4);
    const trees = join(objectsOf(world), "../trees");
    for (const name of readdirSync(trees)) utimesSync(join(trees, name), 1, 1);
    for (const { turn } of world.record.turnsOf(room)) {
      utimesSync(join(objectsOf(world), "../turns", ROOM, `${turn}-end.json`), 1, 1);
    }
    await world.record.prune({ maxBytes: 1e9, keepDays: 30 });
    expect(readdirSync(join(world.data, "record"))).toEqual([]);
  });
});
