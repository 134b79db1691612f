/** Where a write lands: which directories, and so which rooms, a path may concern. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { asRoomId } from "../../../src/core/ids.ts";
import type { FoundPlaces } from "../../../src/engine/ports/guard-files.ts";
import { createWorkspace } from "../../../src/platform/git/workspace.ts";
import { createWritePlaces } from "../../../src/platform/git/write-places.ts";
import { git, makeRepository } from "../../support/git-repository.ts";
import { canMount, skipUnless } from "../../support/privileges.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { systemCalls } from "../call-in-child.ts";

const { callWithin } = systemCalls();

let world: string;
/** A guarded room, and a directory beside it that is in no room. */
let room: string;
let outside: string;

beforeEach(() => {
  world = temporaryDirectory();
  room = makeRepository(join(world, "room"));
  outside = directory("outside");
});

function directory(name: string): string {
  const path = join(world, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function file(name: string): string {
  const path = join(world, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return path;
}

function link(name: string, target: string): string {
  const path = join(world, name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

/** Whether a write to the path may land in a room at `of`. */
async function concerns(path: string, from: readonly string[] = [outside], of = room): Promise<boolean> {
  const guarded = [{ roomId: asRoomId("room"), path: of }];
  const places = createWritePlaces(createWorkspace({ home: null, shared: false }), () => guarded);
  const { above, below } = await places(path, from);
  return above.some((candidates) => candidates.includes(of)) || below.includes(of);
}

describe("a path in the room", () => {
  test.each([
    ["a file that is there", "first.txt"],
    ["a file that is not there yet", "new.txt"],
    ["a file below directories that are not there yet", "a/b/c/d.txt"],
    ["the room itself", "."],
    ["a way there through another directory", "../outside/../room/x"],
    ["one through directories that are not there", "a/b/../../x"],
    ["a file in .git", ".git/config"],
    ["a name with line feeds", "a\nb\n/c\nd.txt"],
  ])("%s", async (_, path) => {
    expect(await concerns(path, [room])).toBe(true);
    expect(await concerns(join(room, path))).toBe(true);
  });

  test("is found from the directory in which the command runs", async () => {
    expect(await concerns("x", [outside, "../room"])).toBe(true);
    expect(await concerns("x", [room, "../outside"])).toBe(false);
  });
});

describe("a path outside", () => {
  test.each(["x", "../x", "./a/b/c", "/", "../room-2/x", "\n"])("%j", async (path) => {
    mkdirSync(join(world, "room-2"));
    expect(await concerns(path === "/" ? "/dev/null" : path)).toBe(false);
  });

  test("a name with a NUL is no path", async () => {
    expect(await concerns(`${room}/a\0b`)).toBe(false);
    expect(await concerns("x", [`${room}\0`])).toBe(false);
  });

  test("one that is longer than the system allows", async () => {
    expect(await concerns(`${outside}/${"x".repeat(300)}`)).toBe(false);
    expect(await concerns(`${outside}/${"x/".repeat(4000)}`)).toBe(false);
  });

  test("a nested repository without a room of its own", async () => {
    makeRepository(join(room, "vendor/nested"));
    expect(await concerns(join(room, "vendor/nested/x"))).toBe(false);
    expect(await concerns(join(room, "vendor/nested/deep/er/x"))).toBe(false);
    expect(await concerns(join(room, "vendor/x"))).toBe(true);
  });

  test("another working tree of the same repository", async () => {
    git(room, "worktree", "add", "--quiet", "../linked");
    expect(await concerns(join(world, "linked/x"))).toBe(false);
    git(room, "worktree", "add", "--quiet", "inside", "-b", "inside");
    expect(await concerns(join(room, "inside/x"))).toBe(false);
  });
});

describe("a link", () => {
  test("out of the room counts: a tool may replace it", async () => {
    link("room/out", file("outside/target"));
    expect(await concerns(join(room, "out"))).toBe(true);
  });

  test("into the room counts: a tool may write through it", async () => {
    expect(await concerns(link("outside/in", join(room, "first.txt")))).toBe(true);
    expect(await concerns(link("outside/in-2", "../room/first.txt"))).toBe(true);
  });

  test("to a link into the room counts", async () => {
    link("outside/b", "../room/first.txt");
    expect(await concerns(link("outside/a", "b"))).toBe(true);
  });

  test("that dangles into the room counts: the file is made there", async () => {
    expect(await concerns(link("outside/in", join(room, "not-yet.txt")))).toBe(true);
    expect(await concerns(link("outside/in-2", join(room, "not/yet.txt")))).toBe(true);
  });

  test("that dangles elsewhere does not count", async () => {
    expect(await concerns(link("outside/away", join(world, "nowhere")))).toBe(false);
  });

  test("to a directory of the room leads there", async () => {
    directory("room/sub");
    link("outside/dir", join(room, "sub"));
    expect(await concerns("dir/x")).toBe(true);
    expect(await concerns("dir/a/b/x")).toBe(true);
  });

  test("from a directory of the room leads out", async () => {
    link("room/away", outside);
    expect(await concerns(join(room, "away/x"))).toBe(false);
  });

  test("with .. behind it counts by both readings", async () => {
    directory("room/sub");
    link("outside/dir", join(room, "sub"));
    // The system goes to the room; a program that drops both words stays outside.
    expect(await concerns("dir/../x")).toBe(true);
    directory("outside/deep/er");
    link("room/away", join(outside, "deep/er"));
    // The system leaves the room; a program that drops both words stays inside.
    expect(await concerns("away/../x", [room])).toBe(true);
  });

  test("that is relative is read from where it really is", async () => {
    link("elsewhere/deep/er/in", "../../../room/first.txt");
    link("outside/dir", join(world, "elsewhere/deep/er"));
    expect(await concerns("dir/in")).toBe(true);
  });

  test("that leads to itself is only where it is", async () => {
    link("outside/loop", "loop");
    link("room/loop", "loop");
    expect(await concerns("loop")).toBe(false);
    expect(await concerns("loop/x")).toBe(false);
    expect(await concerns(join(room, "loop"))).toBe(true);
    expect(await concerns(join(room, "loop/x"))).toBe(true);
  });

  test("that is one of a long chain is followed as far as the system does", async () => {
    link("outside/l0", join(room, "x"));
    for (let number = 1; number < 40; number += 1) link(`outside/l${number}`, `l${number - 1}`);
    expect(await concerns("l39")).toBe(true);
  });
});

describe("a directory above the room", () => {
  test("counts, because what is done to it is done to the room", async () => {
    expect(await concerns("..", [room])).toBe(true);
    expect(await concerns(world)).toBe(true);
    expect(await concerns("/")).toBe(true);
    expect(await concerns(link("outside/up", world))).toBe(true);
  });

  test("does not count for a file in it", async () => {
    expect(await concerns("../x", [room])).toBe(false);
  });
});

describe("a room without a repository", () => {
  test("has everything below it, up to a repository or another room", async () => {
    const plain = directory("plain");
    file("plain/sub/package.json");
    makeRepository(join(plain, "nested"));
    expect(await concerns(join(plain, "x"), [outside], plain)).toBe(true);
    expect(await concerns(join(plain, "a/b/x"), [outside], plain)).toBe(true);
    expect(await concerns(join(plain, "sub/x"), [outside], plain)).toBe(true);
    expect(await concerns(join(plain, "nested/x"), [outside], plain)).toBe(false);
  });
});

test.skipIf(skipUnless(canMount, "root, to mount"))("the room under another path, by a bind mount, is the room", () => {
  const other = directory("mounted");
  const line = `exec unshare -m sh -c 'mount --bind "${room}" "${other}" && exec "$@"' sh "$@"`;
  const places = (path: string) => callWithin(line, ["writePlaces", join(other, path), room]) as FoundPlaces;
  expect(places("x").above.flat()).toContain(room);
  expect(places("a/b/x").above.flat()).toContain(room);
});
