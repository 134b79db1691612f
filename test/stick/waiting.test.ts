import { describe, expect, it } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { commit } from "../../src/engine/commit.ts";
import { NO_EVIDENCE } from "../../src/session/rules/decision-input.ts";
import type { NotYet } from "../../src/stick/rules/answers.ts";
import { waitForTurn as decideWait } from "../../src/stick/rules/wait.ts";
import { openMemoryBell } from "../../src/store/memory/store.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { HANDOFF, processOf } from "../support/room-world.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

async function heldRoom(world: ServiceWorld) {
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("project") }));
  const turn = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("a should hold the stick");
  return { roomId, token: { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId } };
}

function signalled<Value>() {
  let resolve: ((value: Value) => void) | undefined;
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve: (value: Value) => resolve?.(value) };
}

/** Starts a wait and resolves once it has looked for the first time. */
async function startWaiting(world: ServiceWorld, agent: string, roomId: string, signal?: AbortSignal) {
  const { promise: looked, resolve: onLook } = signalled<NotYet>();
  const answer = world.as(agent).waitForTurn({ roomId, maxWaitMs: 60_000, onLook, ...(signal && { signal }) });
  return { answer, seen: await looked };
}

/** The place in the queue of a call that another process makes. */
async function waitInProcess(world: ServiceWorld, agent: string, roomId: string, process: string) {
  const command = { claims: true, forMs: 600_000, callerProcess: processOf(process), gitHead: null };
  await commit(world.deps, agentCalled(agent), { roomId: asRoomId(roomId) }, NO_EVIDENCE, (loaded, given) =>
    decideWait(loaded.room, given, loaded.handles, command),
  );
}

async function waitIn(world: ServiceWorld, roomId: string, agent: string) {
  return (await world.deps.store.readRoom(asRoomId(roomId)))?.room.waits.get(asAgentId(agent));
}

describe("waiting for the turn", () => {
  it("ends with the turn when the holder releases", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    const { answer, seen } = await startWaiting(world, "b", roomId);
    expect(seen).toMatchObject({ currentOwner: "a", queuePosition: 1, unread: 0 });
    accepted(await world.as("a").releaseStick({ ...token, handoff: HANDOFF }));
    expect(await answer).toMatchObject({ status: "your_turn", turnId: 2, reason: "sequence", handoff: HANDOFF });
  });

  it("notes the commit at which the turn began, not the one at which the wait began", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    world.head = "before";
    const { answer } = await startWaiting(world, "b", roomId);
    world.head = "after";
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    await answer;
    const { events } = accepted(await world.as("b").getRoomEvents({ roomId }));
    expect(events.at(-1)).toMatchObject({ eventType: "claim", payload: { gitHead: "after" } });
  });

  it("ends with closed when a person closes the room", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    const { answer } = await startWaiting(world, "b", roomId);
    await world.as("human:x", { person: true }).closeRoom({ roomId, operatorRequested: true });
    expect(await answer).toMatchObject({ status: "closed" });
  });

  it("finds out that the call before it died, and starts its grace", async () => {
    const world = new ServiceWorld({ waitGraceMs: 3000 });
    const { roomId, token } = await heldRoom(world);
    await waitInProcess(world, "d", roomId, "d-call");
    const { answer } = await startWaiting(world, "c", roomId);
    world.gone.add("d-call");
    // A bell stands for the time until the next look.
    while ((await waitIn(world, roomId, "d"))?.caller !== null) await world.deps.bell.ring([asAgentId("c")]);
    world.nowMs += 3000;
    expect(accepted(await world.as("a").getRoomState({ roomId })).members).toMatchObject([
      { agentId: "a" },
      { agentId: "d", waiting: false, queuePosition: null },
      { agentId: "c", waiting: true, queuePosition: 1 },
    ]);
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    expect(await answer).toMatchObject({ status: "your_turn" });
  });

  it("gives its place up when it is cancelled", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    const cancel = new AbortController();
    const { answer } = await startWaiting(world, "b", roomId, cancel.signal);
    cancel.abort();
    expect(await answer).toMatchObject({ status: "not_yet", queuePosition: null });
    expect(await world.as("a").releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ reservedFor: null });
  });

  it("leaves the stick to the next one if it is cancelled right after that was laid down for it", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    const cancel = new AbortController();
    const { answer: cancelled } = await startWaiting(world, "b", roomId, cancel.signal);
    const { answer: next } = await startWaiting(world, "c", roomId);
    // The one who releases rings for nobody, as if the waiter had been stopped.
    const unheard = { ...world.deps, bell: { ...openMemoryBell(), ring: async () => undefined } };
    const released = await createTalkingStick(unheard, agentCalled("a")).releaseStick({ ...token, handoff: HANDOFF });
    expect(released).toMatchObject({ reservedFor: "b" });
    cancel.abort();
    expect(await cancelled).toMatchObject({ status: "not_yet", queuePosition: null });
    expect(await next).toMatchObject({ status: "your_turn", reason: "sequence", fromAgentId: "a" });
  });

  it("ends when its agent leaves the room by another call, and does not bring it back", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    const { answer } = await startWaiting(world, "b", roomId);
    accepted(await world.as("b").leaveRoom({ roomId }));
    expect(await answer).toMatchObject({ error: "unknown_member", facts: { agent_id: "b" } });
    expect(await world.as("a").releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ reservedFor: null });
    const { events } = accepted(await world.as("a").getRoomEvents({ roomId }));
    expect(events.filter(({ eventType }) => eventType === "member_joined")).toHaveLength(2);
  });

  it("ends when a person sends its agent away, which may come again by another call", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    const { answer } = await startWaiting(world, "b", roomId);
    await world.as("human:x", { person: true }).joinPath({ contextPath: world.directory("project") });
    accepted(await world.as("human:x", { person: true }).kickMember({ roomId, targetAgentId: "b", force: true }));
    expect(await answer).toMatchObject({ error: "unknown_member", facts: { agent_id: "b" } });
    const { answer: again } = await startWaiting(world, "b", roomId);
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    expect(await again).toMatchObject({ status: "your_turn" });
  });

  it("a waiter that was taken for dead is a member again", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    const { answer } = await startWaiting(world, "b", roomId);
    // Its session's last word came from a second terminal, which died.
    const second = createTalkingStick(world.deps, {
      ...agentCalled("b"),
      process: processOf("b in a second terminal"),
    });
    accepted(await second.joinPath({ contextPath: world.directory("project") }));
    world.gone.add("b in a second terminal");
    world.nowMs += 15_001;
    accepted(await world.as("a").kickMember({ roomId, targetAgentId: "b", force: true }));
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    expect(await answer).toMatchObject({ status: "your_turn" });
  });

  it("ends when its harness dies, however still the room is, and changes nothing but its place", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    const { answer } = await startWaiting(world, "b", roomId);
    const lastSeen = async () => (await world.deps.store.readRoom(asRoomId(roomId)))?.room.presence.get(asAgentId("b"));
    const before = await lastSeen();
    world.nowMs += 1000;
    world.gone.add("b");
    expect(await answer).toMatchObject({ error: "session_ended", facts: { agent_id: "b" } });
    expect(await waitIn(world, roomId, "b")).toBeUndefined();
    expect(await lastSeen()).toEqual(before);
  });

  it("what an orphan still does leaves its resumed session the process that lives", async () => {
    const world = new ServiceWorld();
    const contextPath = world.directory("project");
    const { roomId } = await heldRoom(world);
    const resumed = createTalkingStick(world.deps, { ...agentCalled("b"), process: processOf("resumed") });
    const known = async () =>
      (await world.deps.store.readRoom(asRoomId(roomId)))?.room.presence.get(asAgentId("b"))?.process;
    const orphan = world.as("b");
    accepted(await orphan.joinPath({ contextPath }));
    world.gone.add("b");
    accepted(await resumed.joinPath({ contextPath }));
    const doings = [
      () => orphan.joinPath({ contextPath }),
      () => orphan.addNote({ roomId, body: "found it" }),
      () => orphan.sendMessage({ roomId, to: "a", body: "found it" }),
      () => orphan.waitForTurn({ roomId, maxWaitMs: 0 }),
    ];
    for (const doing of doings) {
      await doing();
      expect(await known()).toEqual(processOf("resumed"));
    }
  });

  it("needs a room that exists and a time within bounds", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    expect(await world.as("b").waitForTurn({ roomId: "nowhere" })).toMatchObject({ error: "room_not_found" });
    for (const maxWaitMs of [-1, 1.5, Number.NaN, 1e12]) {
      expect(await world.as("b").waitForTurn({ roomId, maxWaitMs })).toMatchObject({
        error: "invalid_input",
        facts: { field: "max_wait_ms" },
      });
    }
  });
});

describe("waiting for events", () => {
  it("starts from now and wakes for what names me", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldRoom(world);
    await startWaiting(world, "b", roomId);
    const wait = world.as("b").waitForEvents({ roomId, maxWaitMs: 60_000 });
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    const { events } = accepted(await wait);
    expect(events[0]).toMatchObject({ eventType: "release", toAgentId: "b" });
  });

  it("any sees everything after the cursor, in order, and returns the cursor to go on from", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    const all = accepted(
      await world.as("x").waitForEvents({ roomId, afterEventSeq: 0, targetAgentId: "any", maxWaitMs: 0 }),
    );
    expect(all.events.map((event) => event.eventType)).toEqual(["member_joined", "claim"]);
    expect(all.cursorEventSeq).toBe(2);
  });

  it("the cursor passes events that the filter leaves out", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    const batch = accepted(
      await world
        .as("x")
        .waitForEvents({ roomId, afterEventSeq: 0, targetAgentId: "any", eventTypes: ["takeover"], maxWaitMs: 0 }),
    );
    expect(batch).toEqual({ events: [], cursorEventSeq: 2 });
  });

  it("changes nothing in the room", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    const before = await world.deps.store.readRoom(roomId);
    await world.as("stranger").waitForEvents({ roomId, maxWaitMs: 0 });
    await world.as("stranger").getRoomState({ roomId });
    await world.as("stranger").getRoomEvents({ roomId });
    expect((await world.deps.store.readRoom(roomId))?.room).toEqual(before?.room);
  });

  it.each([-1, 3, 1e15, 0.5, Number.NaN])("refuses the cursor %s", async (afterEventSeq) => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    for (const answer of [
      await world.as("a").getRoomEvents({ roomId, afterEventSeq }),
      await world.as("a").waitForEvents({ roomId, afterEventSeq }),
    ]) {
      expect(answer).toMatchObject({ error: "invalid_cursor", facts: { cursor_event_seq: 2 } });
    }
  });

  it.each([0, -5, 501, 1.5])("refuses the limit %s", async (limit) => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    expect(await world.as("a").getRoomEvents({ roomId, limit })).toMatchObject({ facts: { field: "limit" } });
  });

  it("refuses a filter that names no event type", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldRoom(world);
    expect(await world.as("a").waitForEvents({ roomId, eventTypes: ["claim", "nonsense"] })).toMatchObject({
      error: "invalid_event_type_filter",
      facts: { unknown: ["nonsense"] },
    });
  });
});

it.each(["", "with space", "line\nbreak", "x".repeat(257), "nul\0"])("refuses the id %j", async (id) => {
  const world = new ServiceWorld();
  const { roomId, token } = await heldRoom(world);
  const a = world.as("a");
  for (const answer of [
    await a.kickMember({ roomId, targetAgentId: id }),
    await a.passStick({ ...token, toAgentId: id, handoff: HANDOFF }),
    await a.heartbeat({ ...token, leaseId: id }),
    await a.resolveNote({ roomId, noteId: id }),
    await a.waitForEvents({ roomId, targetAgentId: id }),
  ]) {
    expect(answer).toMatchObject({ error: "invalid_input" });
  }
});

it("of more notes than a list has room for the newest are listed, and the others from there on back", async () => {
  const world = new ServiceWorld();
  const { roomId } = await heldRoom(world);
  for (let index = 1; index <= 205; index += 1)
    accepted(await world.as("a").addNote({ roomId, body: `note ${index}` }));
  const list = async (input: { limit?: number; beforeNoteId?: string } = {}) => {
    const { notes, hasMore } = accepted(await world.as("a").listNotes({ roomId, ...input }));
    return { notes, hasMore, bodies: [notes[0]?.body, notes.at(-1)?.body], count: notes.length };
  };
  const newest = await list();
  expect(newest).toMatchObject({ bodies: ["note 6", "note 205"], count: 200, hasMore: true });
  const beforeNoteId = newest.notes[0]?.noteId as string;
  expect(await list({ beforeNoteId })).toMatchObject({ bodies: ["note 1", "note 5"], count: 5, hasMore: false });
  expect(await list({ limit: 3 })).toMatchObject({ bodies: ["note 203", "note 205"], count: 3, hasMore: true });
  expect(await list({ limit: 5, beforeNoteId })).toMatchObject({ count: 5, hasMore: false });
  expect(await list({ limit: 4, beforeNoteId })).toMatchObject({ bodies: ["note 2", "note 5"], hasMore: true });
  expect(await world.as("a").listNotes({ roomId, beforeNoteId: "none" })).toMatchObject({
    error: "invalid_cursor",
    facts: { before_note_id: "none" },
  });
});

it("notes are listed in order, unresolved ones alone on demand", async () => {
  const world = new ServiceWorld();
  const { roomId } = await heldRoom(world);
  const first = accepted(await world.as("a").addNote({ roomId, body: "one" }));
  await world.as("b").addNote({ roomId, body: "two" });
  await world.as("b").resolveNote({ roomId, noteId: first.noteId });
  const list = async (unresolvedOnly: boolean) =>
    accepted(await world.as("a").listNotes({ roomId, unresolvedOnly })).notes.map((note) => note.body);
  expect(await list(false)).toEqual(["one", "two"]);
  expect(await list(true)).toEqual(["two"]);
  expect(await world.as("a").listNotes({ roomId: "nowhere" })).toMatchObject({ error: "room_not_found" });
});
