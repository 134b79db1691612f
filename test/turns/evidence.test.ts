/** The evidence of a handoff comes after the stick has moved on: what agents see meanwhile, and if it never comes. */
import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Waking } from "../../src/engine/ports/wake.ts";
import { newSession } from "../../src/session/rules/session.ts";
import { passStick } from "../../src/stick/pass-stick.ts";
import type { TreeSnapshot } from "../../src/stick/rules/snapshot.ts";
import { perform } from "../../src/surfaces/door.ts";
import { accepted } from "../support/service-world.ts";
import { HANDOFF, TurnWorld } from "./turn-world.ts";

/** The next snapshot begins when the test says so. */
function heldSnapshot(world: TurnWorld): { readonly begun: Promise<void>; goOn(): void } {
  let goOn: (() => void) | null = null;
  const begun = new Promise<void>((isBegun) => {
    world.beforeSnapshot = () => {
      isBegun();
      return new Promise<void>((resolve) => {
        goOn = resolve;
      });
    };
  });
  return { begun, goOn: () => goOn?.() };
}

async function evidenceIn(world: TurnWorld) {
  const snapshot = await world.deps.store.readRoom(asRoomId(world.roomId));
  return snapshot?.room.state.handoff?.handoff.evidence;
}

/** The record has real times, and the tests say how much time passes. */
function soon(world: TurnWorld): void {
  world.wallAheadMs = Date.now() - world.nowMs;
}

/** Its harness has an inbox, so that a pass can wake it. */
async function sleepsReachable({ deps, roomId }: TurnWorld, agent: string): Promise<void> {
  const { project } = (await deps.store.readRoom(asRoomId(roomId)))?.room ?? { project: "" };
  const key = { agentId: asAgentId(agent), project };
  await deps.store.changeSession(key, () => newSession(key, agent));
}

async function twoAgents() {
  const world = await new TurnWorld({ snapshotMaxMs: 60_000 }).with("a", "b");
  return { world, room: { roomId: world.roomId, path: world.tree } };
}

it("the next holder has its turn while git is still asked, and takes no snapshot of its own", async () => {
  const { world, room } = await twoAgents();
  await world.turn("b", () => undefined);
  const { outcome } = world.record().turnOf(room, 1).end ?? {};
  // However slow this machine is, the next turn begins with that tree.
  world.wallAheadMs = (outcome as TreeSnapshot).takenAtMs - world.nowMs;
  const token = await world.holds("a");
  await world.waits("b");
  world.write("new.txt", "one\n");
  const snapshot = heldSnapshot(world);
  const releasing = world.release("a", token);
  await snapshot.begun;
  const granted = await world.as("b").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 });
  expect(granted).toMatchObject({ status: "your_turn", handoff: { evidence: { pendingUntil: expect.any(String) } } });
  snapshot.goOn();
  expect(await releasing).toMatchObject({ status: "released" });
  const evidence = await evidenceIn(world);
  expect(evidence).toMatchObject({ tree: expect.any(String), changed: { files: [{ path: "new.txt" }] } });
  expect(evidence).not.toHaveProperty("pendingUntil");
  expect(world.record().turnOf(room, 2)).toMatchObject({ end: { late: false, outcome: { treeId: evidence?.tree } } });
  expect(world.record().turnOf(room, 3).begin).toBe(null);
  expect(await world.ask("show_turn", { turn_id: 2 })).toMatchObject({ handoff: { evidence } });
});

it("an agent that comes within a second of a release takes no snapshot either, whatever else the log has", async () => {
  const { world, room } = await twoAgents();
  const token = await world.holds("a");
  const snapshot = heldSnapshot(world);
  const releasing = world.release("a", token);
  await snapshot.begun;
  accepted(await world.as("b").addNote({ roomId: world.roomId, body: "here I am" }));
  await world.holds("b");
  expect(world.record().turnOf(room, 2).begin).toBe(null);
  snapshot.goOn();
  await releasing;
  expect(world.record().turnOf(room, 1).end).not.toBe(null);
});

it("a pass has its evidence in the same way", async () => {
  const { world } = await twoAgents();
  const token = await world.holds("a");
  await world.waits("b");
  const snapshot = heldSnapshot(world);
  const passing = perform(passStick, world.door("a"), {
    room_id: world.roomId,
    ...token,
    handoff: HANDOFF,
    to_agent_id: "b",
  });
  await snapshot.begun;
  await world.holds("b");
  snapshot.goOn();
  expect(await passing).toMatchObject({ status: "passed" });
  expect(await evidenceIn(world)).toMatchObject({ tree: expect.any(String) });
});

it("a pass does not count what its recipient wrote while it was woken", async () => {
  const { world, room } = await twoAgents();
  const token = await world.holds("a");
  const recipient = new EventEmitter();
  const woken = once(recipient, "woken");
  world.beforeSnapshot = () => woken;
  const { workingTree } = world.deps;
  await sleepsReachable(world, "b");
  const deps: Deps = {
    ...world.deps,
    waking: { mode: "auto", hasInbox: () => true } as Partial<Waking> as Waking,
    workingTree: {
      ...workingTree,
      async evidence() {
        await woken;
        return { head: null, branch: null, dirty: true, untracked: 1, diffStat: "1 file changed" };
      },
    },
    async wakeRecipients() {
      world.write("of-b.txt", "one\n");
      world.nowMs += 1001;
      recipient.emit("woken");
      return [];
    },
  };
  const passed = { room_id: world.roomId, ...token, handoff: HANDOFF, to_agent_id: "b" };
  const answer = await perform(passStick, { ...world.door("a"), deps: async () => deps }, passed);
  expect(answer).toMatchObject({ status: "passed" });
  const evidence = await evidenceIn(world);
  expect(evidence).toEqual({ head: null, branch: null, dirty: null, untracked: null, diffStat: null });
  expect(world.record().turnOf(room, 1).end).toMatchObject({ late: true });
});

it("a snapshot that comes more than a second after the release is a late one, and no handoff names its tree", async () => {
  const { world, room } = await twoAgents();
  const token = await world.holds("a");
  const snapshot = heldSnapshot(world);
  const releasing = world.release("a", token);
  await snapshot.begun;
  world.nowMs += 1001;
  snapshot.goOn();
  await releasing;
  expect(world.record().turnOf(room, 1).end).toMatchObject({ late: true });
  const evidence = await evidenceIn(world);
  expect(evidence).toMatchObject({ head: null });
  expect(evidence).not.toHaveProperty("tree");
  expect(evidence).not.toHaveProperty("pendingUntil");
});

it("a turn that began with a late snapshot does not say what it changed", async () => {
  const { world, room } = await twoAgents();
  const first = await world.holds("a");
  await world.waits("b");
  const snapshot = heldSnapshot(world);
  const releasing = world.release("a", first);
  await snapshot.begun;
  const second = await world.holds("b");
  // It comes into the snapshot of the first turn's end.
  world.write("of-b.txt", "one\n");
  world.nowMs += 1001;
  snapshot.goOn();
  await releasing;
  accepted(await world.release("b", second));
  expect(world.record().turnOf(room, 1).end).toMatchObject({ late: true });
  const evidence = await evidenceIn(world);
  expect(evidence).toMatchObject({ tree: expect.any(String) });
  expect(evidence).not.toHaveProperty("changed");
});

it("a snapshot that comes when the next turn is over, too, is a late one", async () => {
  const { world, room } = await twoAgents();
  const token = await world.holds("a");
  await world.waits("b");
  const snapshot = heldSnapshot(world);
  const releasing = world.release("a", token);
  await snapshot.begun;
  await world.turn("b", () => world.write("of-b.txt", "one\n"));
  snapshot.goOn();
  await releasing;
  expect(world.record().turnOf(room, 1).end).toMatchObject({ late: true });
  expect(world.record().turnOf(room, 2).end).toMatchObject({ late: false });
  // The second handoff is attached, and has its own evidence alone.
  expect(await evidenceIn(world)).toMatchObject({ tree: expect.any(String) });
  const { turns } = (await world.ask("list_turns")) as { turns: object[] };
  expect(turns[1]).toMatchObject({ turnId: 2, record: "late" });
});

it("if the program is killed before the evidence, the handoff stays, and the next turn begins with a snapshot", async () => {
  const { world, room } = await twoAgents();
  const token = await world.holds("a");
  const snapshot = heldSnapshot(world);
  void world.release("a", token);
  await snapshot.begun;
  soon(world);
  world.nowMs += 60_000;
  const granted = await world.as("b").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 });
  expect(granted).toMatchObject({ status: "your_turn", handoff: { status: HANDOFF.status } });
  expect(world.record().turnOf(room, 2).begin).not.toBe(null);
  expect(world.record().turnOf(room, 1).end).toBe(null);
});

it("a refused release keeps no tree as the end of the turn", async () => {
  const { world, room } = await twoAgents();
  const token = await world.holds("a");
  const refused = await world.release("a", { ...token, expected_turn_id: 7 });
  expect(refused).toMatchObject({ error: "turn_mismatch" });
  const byOther = await world.release("b", token);
  expect(byOther).toMatchObject({ error: "stale_lease" });
  expect(world.record().turnOf(room, 1).end).toBe(null);
  expect(await world.events("evidence_attached")).toEqual([]);
});

it("a store that fails afterwards makes no error of a release, and the trace tells of it", async () => {
  const { world } = await twoAgents();
  const token = await world.holds("a");
  const told: object[] = [];
  const { store } = world.deps;
  let changes = 0;
  const failing = {
    ...store,
    change: (...wanted: Parameters<typeof store.change>) => {
      changes += 1;
      if (changes > 1) throw new Fault("store_busy", "The store is busy.", { next: "Wait.", retry: true, facts: {} });
      return store.change(...wanted);
    },
  } as typeof store;
  const trace = { fault: (fault: object) => told.push(fault) } as never;
  const door = { ...world.door("a"), deps: async () => ({ ...world.deps, store: failing, trace }) };
  const { releaseStick } = await import("../../src/stick/release-stick.ts");
  const released = await perform(releaseStick, door, { room_id: world.roomId, ...token, handoff: HANDOFF });
  expect(released).toMatchObject({ status: "released" });
  expect(told).toEqual([{ during: "the evidence of a handoff", message: "The store is busy." }]);
  expect(await evidenceIn(world)).toHaveProperty("pendingUntil");
});

it("a caller that gives up has its answer, without the evidence", async () => {
  const { world } = await twoAgents();
  const token = await world.holds("a");
  const snapshot = heldSnapshot(world);
  const stop = new AbortController();
  const releasing = world.release("a", token, { cancel: stop.signal });
  await snapshot.begun;
  stop.abort();
  const released = await releasing;
  expect(isRefusal(released)).toBe(false);
  expect(await evidenceIn(world)).toHaveProperty("pendingUntil");
  snapshot.goOn();
});
