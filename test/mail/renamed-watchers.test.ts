/** A session that gets its own name while it watches the log goes on seeing what concerns it. */
import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { Bell } from "../../src/engine/ports/bell.ts";
import { openMemoryBell } from "../../src/store/memory/store.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

async function inRoom(world: ServiceWorld, ...agents: readonly string[]) {
  const contextPath = world.directory("project");
  const joins = [];
  for (const agent of agents) joins.push(accepted(await world.as(agent).joinPath({ contextPath })));
  return { contextPath, roomId: joins[0]?.roomId as string };
}

/** `listensTo` resolves when a process listens to a bell. */
function worldWithBells() {
  const world = new ServiceWorld();
  const bell = openMemoryBell();
  const listened = new Set<string>();
  const listening = new EventEmitter();
  const subscribe: Bell["subscribe"] = async (name) => {
    const subscription = await bell.subscribe(name);
    listened.add(name);
    listening.emit(name);
    return subscription;
  };
  Object.assign(world.deps, { bell: { ring: bell.ring.bind(bell), close: bell.close.bind(bell), subscribe } });
  const listensTo = async (name: string) => {
    if (!listened.has(name)) await once(listening, name);
  };
  return { world, listensTo };
}

it("is told of the renaming, and then of what comes under its new name", async () => {
  const { world, listensTo } = worldWithBells();
  const { roomId, contextPath } = await inRoom(world, "prov:1", "b");
  const watcher = world.as("prov:1");
  const renaming = watcher.waitForEvents({ roomId, maxWaitMs: 60_000 });
  await listensTo("prov:1");
  accepted(await world.as("claude:x", { former: "prov:1" }).joinPath({ contextPath }));
  const told = accepted(await renaming);
  expect(told.events.map(({ eventType }) => eventType)).toEqual(["session_superseded"]);

  const more = watcher.waitForEvents({ roomId, afterEventSeq: told.cursorEventSeq, maxWaitMs: 60_000 });
  await listensTo("claude:x");
  accepted(await world.as("b").sendMessage({ roomId, to: "claude:x", body: "hi" }));
  expect(accepted(await more).events).toMatchObject([{ eventType: "message_sent", toAgentId: "claude:x" }]);
});

it("hears of what it asked for alone, though the renaming is not among that", async () => {
  const { world, listensTo } = worldWithBells();
  const { roomId, contextPath } = await inRoom(world, "prov:1", "b");
  const eventTypes = ["message_sent"];
  const wait = world.as("prov:1").waitForEvents({ roomId, eventTypes, maxWaitMs: 60_000 });
  await listensTo("prov:1");
  const renamed = world.as("claude:x", { former: "prov:1" });
  accepted(await renamed.joinPath({ contextPath }));
  await listensTo("all");
  accepted(await renamed.sendMessage({ roomId, to: "room", body: "by myself" }));
  accepted(await world.as("b").sendMessage({ roomId, to: "claude:x", body: "hi" }));
  expect(accepted(await wait).events).toMatchObject([{ payload: { body: "hi" } }]);
});

it("sees what came under each of its names, in whatever order they are read", async () => {
  const world = new ServiceWorld();
  const { roomId, contextPath } = await inRoom(world, "prov:1", "b");
  const names = ["prov:1", "claude:x", "claude:y"];
  for (const [index, name] of names.entries()) {
    const former = names[index - 1] ?? null;
    accepted(await world.as(name, { former }).joinPath({ contextPath }));
    accepted(await world.as("b").sendMessage({ roomId, to: name, body: `to ${name}` }));
  }
  for (const name of names) {
    const input = { roomId, afterEventSeq: 0, eventTypes: ["message_sent"], maxWaitMs: 0 };
    const { events } = accepted(await world.as(name).waitForEvents(input));
    expect(events.map(({ toAgentId }) => toAgentId)).toEqual(names);
  }
});

it("that is renamed by another room sees what is sent to its new name here", async () => {
  const world = new ServiceWorld();
  writeFileSync(join(world.directory("project"), "package.json"), "{}");
  const { roomId } = await inRoom(world, "prov:1", "b");
  const elsewhere = { contextPath: world.directory("project/docs"), forceNew: true };
  accepted(await world.as("prov:1").joinPath(elsewhere));
  const { cursorEventSeq } = accepted(await world.as("prov:1").getRoomEvents({ roomId }));
  accepted(await world.as("claude:x", { former: "prov:1" }).joinPath(elsewhere));
  accepted(await world.as("b").sendMessage({ roomId, to: "claude:x", body: "hi" }));
  const input = { roomId, afterEventSeq: cursorEventSeq, maxWaitMs: 0 };
  expect(accepted(await world.as("prov:1").waitForEvents(input)).events).toMatchObject([{ payload: { body: "hi" } }]);
});

it("does not see what comes to the session before it, once that one is back beside it", async () => {
  const world = new ServiceWorld();
  const { roomId, contextPath } = await inRoom(world, "claude:old", "b");
  accepted(await world.as("claude:new", { former: "claude:old" }).joinPath({ contextPath }));
  await world.deps.store.reclaimName(asAgentId("claude:old"));
  accepted(await world.as("claude:old").joinPath({ contextPath }));
  const names = ["claude:old", "claude:new"];
  for (const name of names) accepted(await world.as("b").sendMessage({ roomId, to: name, body: "hi" }));
  for (const name of names) {
    const input = { roomId, afterEventSeq: 0, eventTypes: ["message_sent"], maxWaitMs: 0 };
    const { events } = accepted(await world.as(name).waitForEvents(input));
    expect(events.map(({ toAgentId }) => toAgentId)).toEqual([name]);
  }
});

it("that asks strictly for what is addressed to it is told of a reservation that it lost under its new name", async () => {
  const { world, listensTo } = worldWithBells();
  const { roomId, contextPath } = await inRoom(world, "prov:1", "b", "d");
  const turn = accepted(await world.as("b").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const eventTypes = ["reservation_expired"];
  const loss = world.as("prov:1").waitForEvents({ roomId, targetAgentId: "prov:1", eventTypes, maxWaitMs: 3_600_000 });
  await listensTo("all");
  const renamed = world.as("claude:x", { former: "prov:1" });
  accepted(await renamed.joinPath({ contextPath }));
  const enough = new AbortController();
  enough.abort();
  await renamed.waitForTurn({ roomId, maxWaitMs: 60_000, enough: enough.signal });
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  accepted(await world.as("b").releaseStick({ ...token, handoff: HANDOFF }));
  world.nowMs += world.deps.policy.releaseClaimTtlMs;
  accepted(await world.as("d").joinPath({ contextPath }));
  expect(accepted(await loss).events).toMatchObject([{ eventType: "reservation_expired", toAgentId: "claude:x" }]);
});
