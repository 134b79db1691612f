/** What must hold after each call that changes a room, whichever it is. */
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SqliteDriver } from "../../../src/store/sqlite/driver.ts";
import { CALL_SETTINGS, CHANGING_CALLS } from "../../support/changing-calls.ts";
import { accepted, actor, groundAt, openWorld, type WorldOptions } from "../../support/sqlite-world.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { makeRoom, newFile, note, openStore, ROOM, watchedDriver } from "./sqlite-file.ts";

interface Commit {
  /** 2 waits until the disk has it, 1 does not. */
  readonly synchronous: unknown;
  readonly events: number;
}

/** Notes of every commit of a write how it was made. */
function commitWatch(): { readonly driver: SqliteDriver; readonly commits: Commit[] } {
  const commits: Commit[] = [];
  let events: number | null = null;
  const driver = watchedDriver((sql, handle) => {
    if (sql === "BEGIN IMMEDIATE") events = 0;
    if (sql.startsWith("INSERT INTO events") && events !== null) events += 1;
    if (sql === "COMMIT" && events !== null) {
      commits.push({ synchronous: handle.prepare("PRAGMA synchronous").get()?.["synchronous"], events });
      events = null;
    }
    if (sql === "ROLLBACK") events = null;
  });
  return { driver, commits };
}

async function openGround(options: WorldOptions = {}) {
  const ground = groundAt(join(temporaryDirectory(), "ground"), CALL_SETTINGS);
  const deps = await openWorld(ground, options);
  onTestFinished(() => deps.store.close());
  return { ground, deps };
}

async function watchedRoomOfTwo() {
  const { driver, commits } = commitWatch();
  const { ground, deps } = await openGround({ driver });
  const [ann, bob] = [actor(deps, "claude:ann"), actor(deps, "codex:bob")];
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  await bob.joinPath({ contextPath: ground.tree });
  return { ann, bob, roomId, commits };
}

describe.each(Object.entries(CHANGING_CALLS))("%s", (_, call) => {
  test("waits for the disk with every commit that holds an event", async () => {
    const { driver, commits } = commitWatch();
    const { ground, deps } = await openGround({ driver });
    await call.run(deps, await call.prepare(deps, ground));
    const logged = commits.filter(({ events }) => events > 0);
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.filter(({ synchronous }) => synchronous !== 2)).toEqual([]);
  });

  test("leaves the process with the rooms that another one reads", async () => {
    const { ground, deps } = await openGround();
    await call.run(deps, await call.prepare(deps, ground));
    const other = await openWorld(ground);
    onTestFinished(() => other.store.close());
    const { rooms } = await other.store.readRooms({});
    expect(rooms.length).toBeGreaterThan(0);
    for (const room of rooms) {
      const here = (await deps.store.readRoom(room.id))?.room;
      expect(here).toEqual(room);
      expect([...(here?.state.members.keys() ?? [])]).toEqual([...room.state.members.keys()]);
    }
  });
});

test("a wait that is only registered, and a heartbeat, do not wait for the disk", async () => {
  const { ann, bob, roomId, commits } = await watchedRoomOfTwo();
  const turn = accepted(await ann.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("a new room's stick is free");
  commits.length = 0;
  await bob.waitForTurn({ roomId, maxWaitMs: 1 });
  await ann.heartbeat({ roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId });
  expect(commits).toEqual([
    { synchronous: 1, events: 0 },
    { synchronous: 1, events: 0 },
  ]);
});

test("mail that was taken, and the acknowledgement of the door that showed it, do not wait for the disk", async () => {
  const { ann, bob, roomId, commits } = await watchedRoomOfTwo();
  const { messageId } = accepted(await ann.sendMessage({ roomId, to: "codex:bob", body: "shown" }));
  commits.length = 0;
  const { confirm } = accepted(await bob.takeMessages({}));
  await confirm();
  expect(commits.map(({ synchronous }) => synchronous)).toEqual([1, 1]);
  const [delivery] = accepted(await ann.messageStatus({ messageId })).deliveries;
  expect(delivery?.state).toBe("acked");
});

test("an acknowledgement that is answered for waits for the disk", async () => {
  const { ann, bob, roomId, commits } = await watchedRoomOfTwo();
  const { messageId } = accepted(await ann.sendMessage({ roomId, to: "codex:bob", body: "worked on" }));
  await bob.takeMessages({ ack: "manual" });
  commits.length = 0;
  accepted(await bob.ackMessage({ messageId, attempt: 1 }));
  expect(commits.map(({ synchronous }) => synchronous)).toEqual([2]);
});

test("an event that nobody expected waits for the disk anyway", async () => {
  const { driver, commits } = commitWatch();
  const store = await openStore(newFile(), { driver });
  await makeRoom(store);
  await note(store, "claude:1");
  await note(store, "claude:1", { expectsEvents: false });
  expect(await store.readEvents(ROOM.id, 0, 10)).toHaveLength(3);
  expect(commits.at(-1)).toEqual({ synchronous: 2, events: 1 });
});
