import { describe, expect, test } from "vitest";
import { asAgentId, asNoteId, asRoomId } from "../../src/core/ids.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import type { NoteQuery } from "../../src/engine/ports/store.ts";
import { record, withRoom } from "../../src/room/rules/change.ts";
import { joinRoom } from "../../src/room/rules/join.ts";
import { heartbeat } from "../../src/stick/rules/heartbeat.ts";
import { CHECKED_OUT, FULL_EVIDENCE, FULL_HANDOFF, type OpenBackend, StoreWorld } from "./store-world.ts";

/** `StoreWorld` compares the room and the log with what was decided after every command below. */
export function changesContract(openBackend: OpenBackend): void {
  const open = () => StoreWorld.open(openBackend);
  const both = async () => {
    const world = await open();
    await world.join("claude:1");
    await world.join("codex:1");
    return world;
  };

  describe("what was decided is what is read back", () => {
    test("a turn is claimed, waited for, released with a handoff and taken up", async () => {
      const world = await both();
      await world.wait("claude:1");
      await world.wait("codex:1");
      await world.release("claude:1");
      const granted = await world.wait("codex:1");
      expect(granted.decision.answer).toMatchObject({
        status: "your_turn",
        reason: "sequence",
        handoff: { ...FULL_HANDOFF, evidence: { ...CHECKED_OUT, dirty: null, pendingUntil: expect.any(String) } },
      });
    });

    test("the evidence of a handoff comes after it, also when the next turn has begun", async () => {
      const world = await both();
      await world.wait("claude:1");
      await world.wait("codex:1");
      await world.release("claude:1");
      await world.wait("codex:1");
      await world.attachEvidence("claude:1");
      expect((await world.room()).state.handoff).toMatchObject({
        handoff: { ...FULL_HANDOFF, evidence: FULL_EVIDENCE },
        seq: 4,
        evidenceSeq: 6,
      });
    });

    test("a handoff that replaces one with evidence has none of it", async () => {
      const world = await both();
      for (const agent of ["claude:1", "codex:1"]) {
        await world.wait(agent);
        await world.release(agent);
        if (agent === "claude:1") await world.attachEvidence(agent);
      }
      expect((await world.room()).state.handoff).toMatchObject({
        handoff: { evidence: { dirty: null } },
        evidenceSeq: null,
      });
    });

    test("a turn is passed to a member that receives without queueing", async () => {
      const world = await both();
      await world.wait("codex:1", { claims: false });
      await world.wait("claude:1");
      await world.pass("claude:1", "codex");
      expect((await world.room()).state.reservation).toEqual({ agentId: "codex:1", via: "pass", givenBy: null });
      await world.wait("codex:1", { claims: false });
      expect((await world.room()).state.owner).toBe("codex:1");
    });

    test("a stick is taken over from a dead owner, who is then kicked", async () => {
      const world = await both();
      await world.wait("claude:1");
      world.kill("claude:1");
      const taken = await world.takeover("codex:1");
      expect(taken.decision.answer).toMatchObject({ status: "your_turn", ground: "owner_gone" });
      await world.kick("codex:1", "claude:1");
      expect([...(await world.room()).state.members.keys()]).toEqual(["codex:1"]);
    });

    test("a reservation whose recipient died goes on to the next", async () => {
      const world = await both();
      await world.join("gemini:1");
      await world.wait("claude:1");
      await world.wait("codex:1");
      await world.wait("gemini:1");
      await world.release("claude:1");
      world.kill("codex:1");
      await world.join("claude:1");
      const room = await world.room();
      expect(room.state.reservation).toEqual({ agentId: "gemini:1", via: "sequence", givenBy: null });
      expect(room.waits.has(asAgentId("codex:1"))).toBe(false);
    });

    test("a member leaves while holding, a room is closed and opened again", async () => {
      const world = await both();
      await world.wait("claude:1");
      await world.wait("codex:1");
      await world.leave("claude:1");
      await world.close("person:1");
      expect((await world.room()).state.status).toBe("closed");
      await world.join("claude:1");
      expect((await world.room()).state.status).toBe("idle");
    });

    test("a policy, a state card, a cooldown and a sleep of the machine", async () => {
      const world = await both();
      await world.policy("claude:1", { leaseTtlMs: 5000, hopsMax: 3 });
      await world.here("claude:1", ({ room }, given) => {
        const card = { purpose: "the parser", files: ["a_b.ts", "cD.ts"], blockedOn: "codex" };
        const change = record({ room, events: [] }, given, "state_changed", { card }, { from: asAgentId("claude:1") });
        return { change: withRoom(change, { suspendedMs: 1234.5 }), answer: true };
      });
      expect((await world.room()).state.members.get(asAgentId("claude:1"))?.card?.files).toEqual(["a_b.ts", "cD.ts"]);
    });

    test("every other kind of event", async () => {
      const world = await both();
      const from = asAgentId("claude:1");
      await world.here("claude:1", ({ room }, given) => {
        const message = {
          body: "hello \u0000 \ud83e\ude84 \ud800",
          bodyBytes: 10,
          origin: "peer" as const,
          deliveryHint: "normal" as const,
          chainId: "chain",
          hops: 0,
        };
        let change = record({ room, events: [] }, given, "message_sent", message, { from, to: asAgentId("codex:1") });
        const written = { paths: ["a b"], more: 0, evidence: "tool_call", tool: "Write", duringTurn: 3 } as const;
        change = record(change, given, "foreign_write", written, { from: null, reason: "seen" });
        const check = { command: "npm test", exitCode: 1, durationMs: 12, outputDigest: "ab", tree: null };
        change = record(change, given, "check_run", check, { from });
        change = record(change, given, "session_superseded", { supersededAgentId: from }, { from });
        return { change, answer: true };
      });
      expect(await world.store.readEvents(world.roomId, 2, 10)).toHaveLength(4);
    });

    test("a heartbeat that adds no event is kept", async () => {
      const world = await both();
      await world.wait("claude:1");
      const before = await world.room();
      await world.here("claude:1", ({ room }, given) =>
        heartbeat(room, given, { leaseId: room.lease?.leaseId as never, expectedTurnId: room.state.turnId }),
      );
      const after = await world.room();
      expect(after.state.lastSeq).toBe(before.state.lastSeq);
      expect(after.lease?.leaseId).toBe(before.lease?.leaseId);
    });
  });

  describe("notes", () => {
    test("are added, listed in order, and resolved", async () => {
      const world = await both();
      await world.addNote("claude:1", "n1", "first \u0000 note\n\ud800", 0);
      await world.addNote("codex:1", "n2", "second");
      await world.addNote("codex:1", "n3", "third");
      const resolved = await world.resolveNote("claude:1", "n2");
      expect(resolved.decision.answer).toMatchObject({ noteId: "n2", resolvedByAgentId: "claude:1" });
      const notes = await world.store.readNotes(world.roomId, 10, { unresolvedOnly: false });
      expect(notes.map(({ noteId }) => noteId)).toEqual(["n1", "n2", "n3"]);
      expect(notes[0]).toMatchObject({ body: "first \u0000 note\n\ud800", turnId: 0, authorAgentId: "claude:1" });
      expect(notes[1]).toEqual(resolved.decision.answer);
      expect(await world.store.readNotes(world.roomId, 1, { unresolvedOnly: true })).toEqual([notes[2]]);
      expect(await world.store.readNotes(world.roomId, 10, { unresolvedOnly: true })).toEqual([notes[0], notes[2]]);
      expect(await world.store.countOpenNotes(world.roomId)).toBe(2);
      expect(await world.store.countOpenNotes(asRoomId("nowhere"))).toBe(0);
    });

    test("are read from the newest on, and from before any of them", async () => {
      const world = await both();
      const ids = ["n1", "n2", "n3", "n4", "n5"].map(asNoteId);
      for (const id of ids) await world.addNote("claude:1", id, "a note");
      await world.resolveNote("claude:1", "n3");
      const read = async (limit: number, wanted: NoteQuery) =>
        (await world.store.readNotes(world.roomId, limit, wanted)).map(({ noteId }) => noteId);
      expect(await read(2, { unresolvedOnly: false })).toEqual(["n4", "n5"]);
      expect(await read(2, { unresolvedOnly: false, before: asNoteId("n4") })).toEqual(["n2", "n3"]);
      expect(await read(2, { unresolvedOnly: true, before: asNoteId("n4") })).toEqual(["n1", "n2"]);
      expect(await read(9, { unresolvedOnly: true, before: asNoteId("n3") })).toEqual(["n1", "n2"]);
      expect(await read(9, { unresolvedOnly: false, before: asNoteId("n1") })).toEqual([]);
      expect(await read(9, { unresolvedOnly: false, before: asNoteId("none") })).toEqual([]);
      expect(await world.store.readNote(world.roomId, asNoteId("n3"))).toMatchObject({ resolvedByAgentId: "claude:1" });
      expect(await world.store.readNote(world.roomId, asNoteId("none"))).toBeNull();
      expect(await world.store.readNote(asRoomId("nowhere"), asNoteId("n3"))).toBeNull();
    });

    test("are loaded only in the room they belong to", async () => {
      const world = await both();
      await world.addNote("claude:1", "n1", "mine");
      await world.join("claude:1", ["/other"]);
      const answer = await world.resolveNote("claude:1", "n1");
      expect(isRefusal(answer.decision.answer)).toBe(true);
    });

    test("resolving a resolved note changes nothing", async () => {
      const world = await both();
      await world.addNote("claude:1", "n1", "mine");
      const first = await world.resolveNote("claude:1", "n1");
      const again = await world.resolveNote("codex:1", "n1");
      expect(again.decision.answer).toEqual(first.decision.answer);
    });
  });

  describe("all or nothing", () => {
    test("when deciding throws, nothing is written and the store goes on", async () => {
      const world = await both();
      const before = await world.room();
      const bug = new Error("a bug in the decision");
      await expect(
        world.store.change({ roomId: world.roomId }, () => {
          throw bug;
        }),
      ).rejects.toBe(bug);
      expect(await world.room()).toEqual(before);
      await world.wait("claude:1");
    });

    test("when deciding about a new room throws, there is no room", async () => {
      const world = await open();
      const otherwise = world.newRoom("/projects");
      const deciding = world.store.change({ host: "host-1", paths: ["/projects"], otherwise }, () => {
        throw new Error("a bug in the decision");
      });
      await expect(deciding).rejects.toThrow("a bug in the decision");
      expect(await world.store.readRoom(otherwise.id)).toBeNull();
    });

    test("a refusal keeps what time had made true", async () => {
      const world = await both();
      await world.wait("claude:1");
      await world.wait("codex:1");
      await world.release("claude:1");
      world.kill("codex:1");
      const refused = await world.release("claude:1");
      expect(isRefusal(refused.decision.answer)).toBe(true);
      expect(refused.decision.change.events.map(({ type }) => type)).toEqual(["reservation_expired"]);
    });

    test("a decision that changes nothing writes nothing", async () => {
      const world = await both();
      const mark = await world.store.changeMark();
      await world.here("claude:1", ({ room }) => ({ change: { room, events: [] }, answer: true }));
      if (world.backend.markIsOurs) expect(await world.store.changeMark()).toBe(mark);
    });
  });

  describe("handles", () => {
    test("are one per agent and different for all in a project, whatever the room", async () => {
      const world = await both();
      await world.join("claude:2");
      await world.join("claude:3", ["/other"]);
      await world.join("claude:1", ["/other"]);
      const { rooms } = await world.store.readRooms({});
      const handles = new Map(rooms.flatMap((room) => [...room.presence.values()].map((p) => [p.agentId, p.handle])));
      expect(Object.fromEntries(handles)).toEqual({
        "claude:1": "claude",
        "claude:2": "claude-2",
        "claude:3": "claude-3",
        "codex:1": "codex",
      });
    });

    test("are told apart by project", async () => {
      const world = await both();
      await world.join("claude:9", ["/elsewhere"], { project: "another" });
      expect((await world.room()).presence.get(asAgentId("claude:9"))?.handle).toBe("claude");
    });

    test("move on when nobody live has them", async () => {
      const world = await both();
      await world.leave("claude:1");
      const loaded = await world.join("claude:2");
      expect(loaded.decision.change.room.presence.get(asAgentId("claude:2"))?.handle).toBe("claude");
      const back = await world.join("claude:1");
      expect(back.decision.change.room.presence.get(asAgentId("claude:1"))?.handle).toBe("claude-2");
    });

    test("stay with an agent that left this room but not the project", async () => {
      const world = await both();
      await world.join("claude:1", ["/other"]);
      await world.leave("claude:1");
      await world.join("claude:2");
      const rooms = (await world.store.readRooms({})).rooms;
      const handles = rooms.flatMap((room) => [...room.presence.values()]).map((p) => `${p.agentId} is ${p.handle}`);
      expect(handles.toSorted()).toEqual(["claude:1 is claude", "claude:2 is claude-2", "codex:1 is codex"]);
    });

    test("an agent may change its handle", async () => {
      const world = await both();
      const agentId = asAgentId("claude:1");
      await world.here("claude:1", ({ room }) => {
        const known = room.presence.get(agentId);
        const presence = new Map(room.presence).set(agentId, {
          ...(known as NonNullable<typeof known>),
          handle: "scribe" as never,
        });
        return { change: withRoom({ room, events: [] }, { presence }), answer: true };
      });
      let handles: readonly unknown[] = [];
      await world.change({ roomId: world.roomId }, "claude:1", (loaded, given) => {
        handles = loaded.handles();
        return joinRoom(loaded.room, given, loaded.handles);
      });
      expect(handles).toContainEqual({ agentId, handle: "scribe", live: true });
      expect(handles).toHaveLength(2);
    });
  });

  test("an unknown note is null to the decision", async () => {
    const world = await both();
    const target = { roomId: world.roomId, noteId: asNoteId("none") };
    const changed = await world.store.change(target, ({ room, note }) => ({
      change: { room, events: [] },
      answer: note === null,
    }));
    expect(changed?.decision.answer).toBe(true);
  });
}
