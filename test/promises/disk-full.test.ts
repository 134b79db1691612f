/**
 * Goal: a full disk is said to be full, spoils nothing, and is forgotten once there is room.
 * Method: the store lives on a memory disk of 1 MiB, mounted where only the child sees it, and is filled.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { FullDiskOrder, FullRound, Openings } from "./fixtures/durable-full-disk.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

/** A namespace in which we may mount: as root, or as root of our own user namespace. */
const NAMESPACES = [["-m"], ["-rm"]].find(
  (flags) => spawnSync("unshare", [...flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0,
);
if (!NAMESPACES) console.error("\nSKIPPED: D4: nothing can be mounted here, so no disk can be filled\n");

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("durable-full-disk");
});
afterAll(() => fixture.remove());

const MOUNT_FIRST = 'mount -t tmpfs -o size=1m,mode=0700 tmpfs "$0" && exec "$@"';

async function fillDisk(flags: readonly string[], seed: number): Promise<[Openings, ...FullRound[]]> {
  const root = temporaryDirectory();
  const disk = join(root, "disk");
  mkdirSync(disk);
  const order: FullDiskOrder = { ground: groundAt(root), disk, seed };
  const through = ["unshare", ...flags, "sh", "-c", MOUNT_FIRST, disk];
  const running = startFixture(fixture, [JSON.stringify(order)], {}, through);
  const seen: unknown[] = [];
  for await (const line of running.lines()) seen.push(line);
  expect(await running.ended).toEqual({ code: 0, signal: null, stderr: "" });
  return seen as [Openings, ...FullRound[]];
}

const cycles = figure(5, 100);

verifies("D4", `each of ${cycles} disks of 1 MiB is full three times`, async () => {
  if (!NAMESPACES) return;
  const seed = freshSeed();
  console.log(`D4 seed ${seed}`);
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const [openings, ...rounds] = await fillDisk(NAMESPACES, seed + cycle);
    expect(openings).toEqual({
      newOnFullDisk: "store_full",
      newWithRoom: "0 rooms",
      againOnFullDisk: "store_full",
      againWithRoom: "0 rooms",
    });
    expect(rounds.length).toBe(3);
    for (const round of rounds) {
      expect(round).toEqual({
        faults: ["store_full", "store_full"],
        changedByRefused: false,
        notesAcknowledged: round.notesAcknowledged,
        notesRead: round.notesAcknowledged,
        newcomer: "1 rooms",
        healed: true,
      });
      expect(round.notesRead).toBeGreaterThan(0);
    }
  }
});
