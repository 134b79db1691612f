/** What hooks leave behind in a store that nothing else uses. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHandle } from "../store/sqlite/sqlite-file.ts";
import { HookWorld } from "./support/hook-world.ts";

const SESSION = "11111111-aaaa-4aaa-8aaa-111111111111";
const MANY_PAGES = 300;

test("a hook that changes something empties a write-ahead log that has become long", async () => {
  const world = new HookWorld();
  await world.done("join", { as: "me:b" });
  const file = join(world.data, "tt.db");
  // It stays open, because SQLite itself tidies up when the last one leaves.
  const other = openHandle(file);
  other.exec(`CREATE TABLE ballast AS SELECT randomblob(${MANY_PAGES} * 4096) AS bytes`);
  const before = statSync(`${file}-wal`).size;
  const started = await world.harness("claude").hook("session-start", SESSION, { source: "startup" });
  expect(started.said).toContain("You are claude");
  expect(before).toBeGreaterThan(MANY_PAGES * 4096);
  expect(statSync(`${file}-wal`).size).toBe(0);
});
