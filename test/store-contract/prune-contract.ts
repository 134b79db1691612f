import { describe, expect, test } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import type { RowCounts } from "../../src/engine/ports/prune-store.ts";
import { newSession } from "../../src/session/rules/session.ts";
import { accepted } from "../support/service-world.ts";
import { MailWorld } from "./mail-world.ts";
import { prunedRoom } from "./pruned-room.ts";
import type { OpenBackend } from "./store-world.ts";

const A = "claude:1";
const B = "codex:1";
/** Times before and after every event. */
const [EVER, NEVER] = ["0000-01-01T00:00:00.000Z", "9999-01-01T00:00:00.000Z"];

async function roomOf({ deps }: MailWorld) {
  const snapshot = await deps.store.readRoom(asRoomId("room-of-mail"));
  if (!snapshot) throw new Error("the room is not there");
  return snapshot.room;
}

async function leave(world: MailWorld, ...agents: string[]): Promise<void> {
  for (const agent of agents) accepted(await world.as(agent).leaveRoom({ roomId: world.roomId }));
}

/** Without the kinds of which nothing was deleted. */
function some(counts: RowCounts | null) {
  return Object.fromEntries(Object.entries(counts ?? { refused: 1 }).filter(([, count]) => count > 0));
}

export function pruneContract(openBackend: OpenBackend): void {
  const open = async () => {
    const world = await MailWorld.open(openBackend);
    await world.join(A, B);
    return world;
  };

  describe("pruning", () => {
    test("deletes deliveries that have ended, keeps their counts, and gives no number twice", async () => {
      const world = await open();
      const { store } = world.deps;
      for (const body of ["one", "two", "three"]) await world.send(A, B, body, { msgId: body });
      await world.read(B);
      const room = await roomOf(world);
      expect(await store.countPrunable(room.id)).toBe(room.state.lastSeq + 2);
      // The newest delivery stays, so that the next one gets a higher number.
      expect(some(await store.prune(prunedRoom(room)))).toEqual({ events: room.state.lastSeq, deliveries: 2 });
      expect(await store.countPrunable(room.id)).toBe(0);
      expect(some(await store.prune(prunedRoom(room)))).toEqual({});
      expect(await world.counts(B)).toMatchObject({ acked: 3, pending: 0 });
      const look = { kind: "after", seq: 0, limit: 10 } as const;
      const last = (await store.readMailbox(asAgentId(B), look)).window.deliveries;
      expect(last).toHaveLength(1);
      await world.send(A, B, "four");
      const { deliveries } = (await store.readMailbox(asAgentId(B), look)).window;
      expect(deliveries.map(({ seq }) => seq)[1]).toBeGreaterThan(last[0]?.seq as number);
    });

    test("keeps what an agent may still read, and what was sent under which id", async () => {
      const world = await open();
      const { store } = world.deps;
      const sent = await world.send(A, B, "once", { msgId: "m1" });
      await world.read(B);
      await world.send(A, B, "unread");
      await store.prune(prunedRoom(await roomOf(world)));
      expect(await world.read(B)).toEqual(["unread"]);
      expect(await world.send(A, B, "once", { msgId: "m1" })).toMatchObject({ messageId: sent.messageId });
      expect(await world.read(B)).toEqual([]);
    });

    test("takes members out that are gone, and the room if it was never used", async () => {
      const world = await open();
      const { store } = world.deps;
      const room = await roomOf(world);
      const first = await store.prune(prunedRoom(room, { gone: [asAgentId(B)], mayGo: true }));
      expect(first).toMatchObject({ members: 1 });
      const left = await roomOf(world);
      expect([...left.state.members.keys()]).toEqual([A]);
      expect(some(await store.prune(prunedRoom(left, { gone: [asAgentId(A)], mayGo: true })))).toEqual({
        members: 1,
        rooms: 1,
      });
      expect(await store.readRoom(room.id)).toBeNull();
    });

    test("leaves a room alone in which something happened, or that is held", async () => {
      const world = await open();
      const { store } = world.deps;
      const room = await roomOf(world);
      await world.send(A, B, "news");
      expect(await store.prune(prunedRoom(room))).toBeNull();
      accepted(await world.as(A).waitForTurn({ roomId: world.roomId, maxWaitMs: 0 }));
      expect(await store.prune(prunedRoom(await roomOf(world)))).toBeNull();
    });
  });

  describe("agents that are gone", () => {
    test("are forgotten with mailbox, handle and session, unless they left lately or have mail", async () => {
      const world = await open();
      const { store } = world.deps;
      const session = { project: "/tree", agentId: asAgentId(B) };
      await store.changeSession(session, () => newSession(session, "codex"));
      await world.send(A, B, "unread");
      await leave(world, B);
      expect(some(await store.forgetGone(NEVER, [session])), "it has mail").toEqual({});
      await world.read(B);
      // The newest delivery of all is another agent's.
      await world.send(B, A, "bye");
      await leave(world, B);
      await store.prune(prunedRoom(await roomOf(world)));
      expect((await store.readGoneSessions(NEVER)).map(({ agentId }) => agentId)).toEqual([B]);
      const counts = await store.forgetGone(NEVER, [session]);
      expect(some(counts)).toEqual({ mailboxes: 1, handles: 1, sessions: 1 });
      const names = await store.readNames();
      expect([names.agents, names.members]).toEqual([[A], [{ agentId: A, roomId: world.roomId }]]);
      expect(some(await store.forgetGone(NEVER, [session]))).toEqual({});
    });

    test("stay while they are members, or since they left", async () => {
      const world = await open();
      const { store } = world.deps;
      const sessions = [A, B].map((agent) => ({ project: "/tree", agentId: asAgentId(agent) }));
      expect(some(await store.forgetGone(NEVER, sessions))).toEqual({});
      await leave(world, B);
      expect(await store.readGoneSessions(EVER)).toEqual([]);
      expect(some(await store.forgetGone(EVER, sessions))).toEqual({});
      expect((await store.readNames()).agents.toSorted()).toEqual([A, B]);
    });
  });
}
