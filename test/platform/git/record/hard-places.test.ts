/** Places in which a snapshot has less than it would like: permissions, space, objects. */
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { captureTree } from "../../../support/captured-tree.ts";
import { git } from "../../../support/git-repository.ts";
import { canMount, isRoot, NOBODY, skipUnless } from "../../../support/privileges.ts";
import { systemCalls } from "../../call-in-child.ts";
import { RecordWorld } from "./record-world.ts";

const { call, callWithin } = systemCalls();

test("a partial clone fetches nothing", async () => {
  const world = new RecordWorld();
  world.write("big.txt", "big\n".repeat(1000));
  git(world.top, "add", ".");
  git(world.top, "commit", "--quiet", "--message=big");
  git(world.top, "config", "uploadpack.allowFilter", "true");
  const clone = join(world.root, "clone");
  git(world.root, "clone", "--quiet", "--filter=blob:none", "--no-checkout", `file://${world.top}`, clone);
  git(clone, "config", "remote.origin.url", "file:///nowhere");
  writeFileSync(join(clone, "own.txt"), "own\n");
  const before = captureTree(clone, { times: true, directories: true });
  const first = await world.snapshot(clone);
  expect(captureTree(clone, { times: true, directories: true })).toEqual(before);
  expect(first.leftOut).toEqual([]);
});

test("a user's index that is damaged does not matter", async () => {
  const world = new RecordWorld();
  writeFileSync(join(world.top, ".git/index"), "nonsense");
  world.write("new.txt", "new\n");
  const first = await world.snapshot();
  world.write("new.txt", "newer\n");
  expect(await world.changed(first, await world.snapshot())).toEqual(["modified new.txt"]);
});

test.skipIf(skipUnless(isRoot, "root, to become another user"))(
  "files and directories that cannot be read are left out and named, also in a repository that cannot be written",
  async () => {
    const world = new RecordWorld();
    world.write("closed.txt", "closed\n");
    world.write("shut/inside.txt", "inside\n");
    for (const path of [world.data, world.scratch]) chownSync(path, NOBODY.uid, NOBODY.gid);
    chmodSync(world.root, 0o755);
    chmodSync(join(world.top, "closed.txt"), 0o600);
    chmodSync(join(world.top, "shut"), 0o700);
    const outcome = await call(["snapshot", world.root, world.top], NOBODY);
    expect(outcome).toMatchObject({
      leftOut: [
        { path: "closed.txt", why: "unreadable" },
        { path: "shut", why: "unreadable" },
      ],
    });
    // A file that becomes unreadable later leaves the record again.
    chmodSync(join(world.top, "first.txt"), 0o600);
    expect(await call(["snapshot", world.root, world.top], NOBODY)).toMatchObject({ leftOutCount: 3 });
  },
);

test.skipIf(skipUnless(canMount, "mounts of its own"))("a full disk is an answer, and heals", () => {
  const world = new RecordWorld();
  world.write("noise.bin", randomBytes(2_000_000));
  const mounted = `mount -t tmpfs -o size=1m,mode=0700 tmpfs '${world.data}'`;
  const full = callWithin(`unshare -m sh -c '${mounted.replaceAll("'", "")} && exec "$@"' sh "$@"`, [
    "snapshot",
    world.root,
    world.top,
  ]);
  expect(full).toEqual({ skipped: "disk_full" });
  expect(callWithin('"$@"', ["snapshot", world.root, world.top])).toMatchObject({ leftOut: [] });
});
