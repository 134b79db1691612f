/** A server that stays while its data directory is removed or replaced. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { McpWorld } from "./support/mcp-world.ts";

const MOVED = {
  error: "store_unsafe",
  message: expect.stringContaining("removed or replaced"),
  next: expect.any(String),
};

/** Another process of another agent, as the command line starts it. */
function tt(world: McpWorld, agent: string, ...words: string[]): Record<string, unknown> {
  const env = world.env({ TT_AGENT_ID: agent });
  const { stdout, stderr } = spawnSync(process.execPath, [world.program, ...words, "--json"], { cwd: world.tree, env });
  if (stdout.length === 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as Record<string, unknown>;
}

function replaceData({ data }: McpWorld): void {
  rmSync(data, { recursive: true });
  mkdirSync(data, { mode: 0o700 });
}

it("tells once that its store is gone, and goes on with the one that is there", async () => {
  const world = new McpWorld();
  const a = await world.connect("a:1");
  expect(await a.done("wait_for_turn")).toMatchObject({ status: "your_turn", turn_id: 1 });
  replaceData(world);
  expect(tt(world, "b:2", "try")).toMatchObject({ status: "your_turn", turn_id: 1 });
  expect(await a.call("wait_for_turn", { max_wait_ms: 0 })).toMatchObject({ isError: true, answer: MOVED });
  expect(await a.done("wait_for_turn", { max_wait_ms: 0 })).toMatchObject({ status: "not_yet", current_owner: "b:2" });
  await a.done("add_note", { body: "written where all look" });
  expect(tt(world, "b:2", "notes", "list")).toMatchObject({ notes: [{ body: "written where all look" }] });
});

it("ends the waits of all who share it, and serves them again", async () => {
  const world = new McpWorld();
  tt(world, "b:2", "try");
  const a = await world.connect("a:1");
  let looks = 0;
  const waits = [0, 1].map(() =>
    a.call("wait_for_turn", { max_wait_ms: 50_000 }, { onProgress: () => void (looks += 1) }),
  );
  await expect.poll(() => looks).toBeGreaterThan(1);
  replaceData(world);
  for (const wait of waits) expect(await wait).toMatchObject({ isError: true, answer: MOVED });
  expect(await a.done("wait_for_turn")).toMatchObject({ status: "your_turn", turn_id: 1 });
});

it("makes nothing where the directory was, while nobody calls", async () => {
  const world = new McpWorld();
  const a = await world.connect("a:1");
  await a.done("wait_for_turn");
  const waiting = a.call("wait_for_events", { max_wait_ms: 50_000 });
  renameSync(world.data, `${world.data}.away`);
  expect(await waiting).toMatchObject({ isError: true, answer: MOVED });
  expect(existsSync(world.data)).toBe(false);
});
