/** What is news for a reader of a room. */
import { expect, test } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import { asEventId, asLeaseId, asRoomId, type EventId } from "../../../src/core/ids.ts";
import type { Store } from "../../../src/engine/ports/store.ts";
import { takeIfAny } from "../../../src/mail/take-messages.ts";
import { begin, record } from "../../../src/room/rules/change.ts";
import { NO_EVIDENCE } from "../../../src/session/rules/decision-input.ts";
import { followBoard } from "../../../src/surfaces/follow/follow-board.ts";
import { LogFollower } from "../../../src/surfaces/follow/follow-log.ts";
import {
  drawnOf,
  msToNextMinute,
  processesIn,
  RoomFollower,
  readLog,
  readMarks,
} from "../../../src/surfaces/follow/follow-room.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";
import { picture, row } from "../console/pictures.ts";

const NOW = Date.UTC(2026, 0, 15, 14, 2, 7);

/** A picture in which everything that time alone moves has moved. */
function later(ms: number) {
  const at = new Date(NOW + ms).toISOString();
  const agentId = row("claude:1").agentId;
  const { now } = picture();
  return picture({
    asOf: at,
    machine: { name: "db-2", silentSince: at },
    agents: [
      row("claude:1", {
        lastSeenAt: at,
        activity: { state: "busy", since: at },
        machine: { name: "db-2", silentSince: at },
      }),
    ],
    folded: { gone: [row("dead:1", { lastSeenAt: at })], away: [row("far:1", { lastSeenAt: at })], notListed: 0 },
    now: {
      ...now,
      state: "owned",
      holder: { agentId, since: null, purpose: null, leaseUntil: at },
      reservation: { agentId, sinceTurn: 1, until: at } as unknown as typeof now.reservation,
    },
  });
}

test("signs of life and deadlines alone are no news within a minute", () => {
  expect(drawnOf(later(5), NOW + 5)).toEqual(drawnOf(later(0), NOW));
  expect(drawnOf(later(60_000), NOW + 60_000)).not.toEqual(drawnOf(later(0), NOW));
});

test("another mark, holder or name is news", () => {
  const before = drawnOf(later(0), NOW);
  expect(drawnOf({ ...later(0), agents: [row("claude:1", { mark: "works" })] }, NOW)).not.toEqual(before);
  expect(drawnOf({ ...later(0), names: {} }, NOW)).not.toEqual(before);
  const back = { name: "db-2", silentSince: null };
  expect(drawnOf({ ...later(0), machine: back }, NOW)).not.toEqual(before);
});

test("ages move at the boundaries of minutes", () => {
  expect(msToNextMinute(NOW)).toBe(53_000);
});

test.each([
  { name: "readMessages", behind: "changeMailbox" },
  { name: "readEvents", behind: "changeMailbox" },
  { name: "readRoom", behind: "readEvents" },
  { name: "readDeliveries", behind: "readEvents" },
] as const)("a fault of $name in one look loses no event and no mail", async ({ name, behind }) => {
  const world = new ServiceWorld();
  const person = { person: true } as const;
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("r") }));
  accepted(await world.as("human:u", person).joinPath({ contextPath: world.directory("r") }));
  accepted(await world.as("a").sendMessage({ roomId, to: "human:u", body: "one" }));
  const { deps } = world;
  const store = failingOnce(deps.store, { name, behind }, () => void deps.bell.ring([world.callerOf("a").agentId]));
  const cancel = new AbortController();
  const caller = world.callerOf("human:u", person);
  const follow = { deps: { ...deps, store }, roomId: asRoomId(roomId), person: caller, cancel: cancel.signal };
  const news = await new RoomFollower({ ...follow, ids: false }, 0).next(() => []);
  expect(news?.events.map(({ type }) => type)).toEqual(["member_joined", "member_joined", "message_sent"]);
  expect(news?.mail?.answer.messages.map(({ body }) => body)).toEqual(["one"]);
  const [id] = (news?.mail?.places.keys() ?? []) as Iterable<EventId>;
  await news?.mail?.confirm();
  const [delivery, ...others] = id === undefined ? [] : await deps.store.readDeliveries([id]);
  expect([delivery?.state, others]).toEqual(["acked", []]);
});

test("the processes of the agents that are shown are watched for their death", async () => {
  const world = new ServiceWorld();
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("r") }));
  accepted(await world.as("b").joinPath({ contextPath: world.directory("r") }));
  const shown = picture({ roomId: asRoomId(roomId), agents: [row("a"), row("never-joined")] });
  const removed = picture({ roomId: asRoomId("removed"), agents: [row("a")] });
  expect(await processesIn(world.deps, [shown, removed])).toEqual([world.callerOf("a").process]);
});

test("the board hears once of each write without the stick that comes while it is open", async () => {
  const world = new ServiceWorld();
  const { deps } = world;
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("r") }));
  await writeWithoutStick(world, roomId);
  const cancel = new AbortController();
  const heard: number[] = [];
  const show = (_: unknown, writes: readonly unknown[]) => void heard.push(writes.length);
  const caller = { person: null, roomId: null, ids: false, protectionOf: undefined };
  const ended = followBoard({ deps, ...caller, cancel: cancel.signal, show });
  await expect.poll(() => heard, { timeout: 60_000 }).toEqual([0]);
  await writeWithoutStick(world, roomId);
  await expect.poll(() => heard, { timeout: 60_000 }).toEqual([0, 1]);
  accepted(await world.as("a").setMyState({ roomId, purpose: "the parser" }));
  await expect.poll(() => heard, { timeout: 60_000 }).toEqual([0, 1, 0]);
  cancel.abort();
  await ended;
});

async function writeWithoutStick(world: ServiceWorld, roomId: string): Promise<void> {
  const { deps } = world;
  const caller = world.callerOf("a");
  await deps.store.change({ roomId: asRoomId(roomId) }, ({ room, moment }) => {
    const given = { evidence: NO_EVIDENCE, caller, commandId: "write", freshLeaseId: asLeaseId("none"), moment };
    const payload = { paths: ["a"], more: 0, evidence: "tool_call", duringTurn: null } as const;
    return { change: record(begin(room), given, "foreign_write", payload, { from: caller.agentId }), answer: null };
  });
  await deps.bell.ring([caller.agentId]);
}

test("a message that was taken and not shown still waits for its reader", async () => {
  const world = new ServiceWorld();
  const { deps } = world;
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("r") }));
  accepted(await world.as("b").joinPath({ contextPath: world.directory("r") }));
  const { messageId } = accepted(await world.as("a").sendMessage({ roomId, to: "b", body: "one" }));
  const { agentId: to } = world.callerOf("b");
  const command = { limit: 1, maxBytes: 1000, onePerSender: false, from: null, transport: "cli" } as const;
  const taken = await takeIfAny(deps, world.callerOf("b"), command);
  const marks = async () => [...(await readMarks(deps, [asEventId(messageId)])).values()];
  expect(await marks()).toEqual([[{ to, mark: "waiting" }]]);
  await taken?.confirm();
  expect(await marks()).toEqual([[{ to, mark: "read" }]]);
});

test("what became of all messages that are watched is one read", async () => {
  const world = new ServiceWorld();
  const { deps } = world;
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("r") }));
  accepted(await world.as("b").joinPath({ contextPath: world.directory("r") }));
  const sent: EventId[] = [];
  for (const body of ["one", "two", "three"])
    sent.push(asEventId(accepted(await world.as("a").sendMessage({ roomId, to: "b", body })).messageId));
  const reads: (readonly EventId[])[] = [];
  const readDeliveries: Store["readDeliveries"] = (ids) => {
    reads.push(ids);
    return deps.store.readDeliveries(ids);
  };
  const counting = { ...deps, store: { ...deps.store, readDeliveries } };
  const { marks } = await readLog(counting, new Map([[asRoomId(roomId), 0]]), sent.slice(0, 2));
  expect([...marks.keys()]).toEqual(sent);
  expect(reads).toEqual([sent]);
  await readLog(counting, new Map([[asRoomId(roomId), 1000]]), []);
  expect(reads).toHaveLength(1);
});

/** The store fails once, for the moment, in a call that comes behind another one. */
function failingOnce(store: Store, call: { name: keyof Store; behind: keyof Store }, after: () => void): Store {
  let isBehind = false;
  let hasFailed = false;
  const fail = () => {
    hasFailed = true;
    after();
    throw new Fault("store_busy", "The store is busy.", { next: "Try again.", retry: true });
  };
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (property === call.name && isBehind && !hasFailed) fail();
        if (property === call.behind) isBehind = true;
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
}

test("a message that was dead and is sent again has its new mark", async () => {
  const world = new ServiceWorld();
  const [a, b] = [world.as("a"), world.as("b")];
  const { roomId } = accepted(await a.joinPath({ contextPath: world.directory("r") }));
  accepted(await b.joinPath({ contextPath: world.directory("r") }));
  const { messageId } = accepted(await a.sendMessage({ roomId, to: "b", body: "one" }));
  const { deps } = world;
  const follower = new LogFollower({ deps, roomId: asRoomId(roomId), cancel: new AbortController().signal });
  const marks = [(await follower.begin(null))?.marks];
  for (let dead = false; !dead; world.nowMs += 3_600_000) {
    accepted(await b.takeMessages({ ack: "manual" }));
    await b.nackMessage({ messageId, reason: "not now" });
    dead = accepted(await b.listDeadLetters({})).deadLetters.length > 0;
  }
  marks.push((await follower.next())?.marks);
  accepted(await b.requeueDeadLetter({ messageId }));
  marks.push((await follower.next())?.marks);
  expect(marks.map((all) => all?.get(messageId)?.map(({ mark }) => mark))).toEqual([
    ["waiting"],
    ["dead"],
    ["waiting"],
  ]);
});
