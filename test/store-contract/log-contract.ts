import { describe, expect, test } from "vitest";
import { EVENT_TYPES, type RoomEvent } from "../../src/core/event.ts";
import { asAgentId } from "../../src/core/ids.ts";
import { newestEvents } from "../../src/engine/newest-events.ts";
import { evolve } from "../../src/room/rules/evolve.ts";
import { INITIAL_STATE } from "../../src/room/rules/room.ts";
import { prunedRoom } from "./pruned-room.ts";
import { FULL_EVIDENCE, type OpenBackend, StoreWorld } from "./store-world.ts";

export function logContract(openBackend: OpenBackend): void {
  const withTwentyNotes = async () => {
    const world = await StoreWorld.open(openBackend);
    await world.join("claude:1");
    for (let number = 1; number <= 19; number += 1) await world.addNote("claude:1", `n${number}`, `note ${number}`);
    return world;
  };

  describe("the log", () => {
    test("is read in order, after a cursor, up to a limit", async () => {
      const world = await withTwentyNotes();
      const seqs = async (after: number, limit: number) =>
        (await world.store.readEvents(world.roomId, after, limit)).map(({ seq }) => seq);
      expect(await seqs(0, 500)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(await seqs(0, 3)).toEqual([1, 2, 3]);
      expect(await seqs(3, 3)).toEqual([4, 5, 6]);
      expect(await seqs(18, 50)).toEqual([19, 20]);
      expect(await seqs(20, 50)).toEqual([]);
      expect(await seqs(99, 50)).toEqual([]);
    });

    test("is read whole with the largest limit, and so are the notes and the mail", async () => {
      const { store, roomId } = await withTwentyNotes();
      const all = Number.MAX_SAFE_INTEGER;
      const me = asAgentId("claude:1");
      expect(await store.readEvents(roomId, 0, all)).toHaveLength(20);
      expect(await store.readEventsBefore(roomId, all, all)).toHaveLength(20);
      expect(await store.readNotes(roomId, all, { unresolvedOnly: false })).toHaveLength(19);
      for (const look of [
        { kind: "lanes", from: null, perSender: all },
        { kind: "lanes", from: me, perSender: all },
        { kind: "live", after: all, limit: all },
        { kind: "dead_letters", after: all, limit: all },
        { kind: "after", seq: all, limit: all },
      ] as const)
        expect((await store.readMailbox(me, look)).window.deliveries).toEqual([]);
    });

    test("is read back from any position in it", async () => {
      const world = await withTwentyNotes();
      const seqs = async (before: number, limit: number) =>
        (await world.store.readEventsBefore(world.roomId, before, limit)).map(({ seq }) => seq);
      expect(await seqs(21, 3)).toEqual([18, 19, 20]);
      expect(await seqs(20, 3)).toEqual([17, 18, 19]);
      expect(await seqs(3, 50)).toEqual([1, 2]);
      expect(await seqs(1, 50)).toEqual([]);
      expect(await seqs(99, 1)).toEqual([20]);
    });

    test("gives the newest that are left when it was pruned", async () => {
      const world = await StoreWorld.open(openBackend);
      await world.join("claude:1");
      await world.wait("claude:1");
      await world.release("claude:1");
      await world.attachEvidence("claude:1");
      for (let number = 1; number <= 90; number += 1) await world.addNote("claude:1", `n${number}`, `note ${number}`);
      expect(await world.store.prune(prunedRoom(await world.room()))).toMatchObject({ events: 92 });
      const left = [expect.objectContaining({ seq: 4, type: "evidence_attached" })];
      const handoff = expect.objectContaining({ seq: 3, type: "release" });
      expect(await world.store.readEvents(world.roomId, 0, 9)).toEqual([handoff, ...left]);
      expect((await world.room()).state.handoff?.handoff.evidence).toEqual(FULL_EVIDENCE);
      expect(await world.store.readEventsBefore(world.roomId, 95, 1)).toEqual(left);
      expect(await newestEvents(world.store, await world.room(), 1, () => true)).toEqual(left);
    });

    test("gives the newest that match, in order, from however far back", async () => {
      const world = await StoreWorld.open(openBackend);
      await world.join("claude:1");
      for (let number = 1; number <= 150; number += 1) await world.addNote("claude:1", `n${number}`, `note ${number}`);
      const newest = async (limit: number, matches: (event: RoomEvent) => boolean) =>
        (await newestEvents(world.store, await world.room(), limit, matches)).map(({ seq }) => seq);
      expect(await newest(3, () => true)).toEqual([149, 150, 151]);
      expect(await newest(500, () => true)).toEqual(Array.from({ length: 151 }, (_, index) => index + 1));
      expect(await newest(2, ({ type }) => type === "note_added")).toEqual([150, 151]);
      expect(await newest(4, ({ seq }) => seq % 40 === 0)).toEqual([40, 80, 120]);
      expect(await newest(1, ({ type }) => type === "member_joined")).toEqual([1]);
      expect(await newest(5, ({ type }) => type === "claim")).toEqual([]);
    });

    test("belongs to one room alone", async () => {
      const world = await withTwentyNotes();
      await world.join("claude:1", ["/other"]);
      expect(await world.store.readEvents(world.roomId, 0, 50)).toHaveLength(1);
    });

    test("tells how an agent last went out, by any of its names and from however far back", async () => {
      const world = await StoreWorld.open(openBackend);
      for (const agent of ["claude:1", "codex:1", "gemini:1"]) await world.join(agent);
      const departure = async (...names: string[]) => {
        const event = await world.store.readDeparture(world.roomId, names.map(asAgentId));
        return event && [event.type, event.fromAgentId, event.toAgentId];
      };
      expect(await departure("claude:1", "codex:1")).toBeNull();
      await world.leave("codex:1");
      await world.join("codex:1");
      world.kill("codex:1");
      await world.kick("claude:1", "codex:1");
      await world.leave("gemini:1");
      for (let number = 1; number <= 30; number += 1) await world.addNote("claude:1", `n${number}`, `note ${number}`);
      expect(await departure("codex:1")).toEqual(["kick", "claude:1", "codex:1"]);
      expect(await departure("gemini:1")).toEqual(["member_left", "gemini:1", null]);
      expect(await departure("codex:1", "gemini:1")).toEqual(["member_left", "gemini:1", null]);
      expect(await departure("claude:1")).toBeNull();
      expect(await departure()).toBeNull();
      await world.join("claude:1", ["/other"]);
      expect(await departure("gemini:1")).toBeNull();
    });

    test("rebuilds the state", async () => {
      const world = await StoreWorld.open(openBackend);
      for (const agent of ["claude:1", "codex:1", "gemini:1"]) await world.join(agent);
      for (const agent of ["claude:1", "codex:1", "gemini:1"]) await world.wait(agent);
      await world.release("claude:1");
      await world.wait("codex:1");
      await world.pass("codex:1", "gemini");
      await world.wait("gemini:1");
      await world.leave("gemini:1");
      const events = await world.store.readEvents(world.roomId, 0, 500);
      expect(events.reduce(evolve, INITIAL_STATE)).toEqual((await world.room()).state);
    });

    test("refuses to change or delete an event, in SQL too", async ({ skip }) => {
      const world = await withTwentyNotes();
      const { sql = skip("there is no SQL in memory") } = world.backend;
      await expect(sql("UPDATE events SET payload = '{}' WHERE event_seq = 2")).rejects.toThrow("append-only");
      await expect(sql("DELETE FROM events WHERE event_seq = 2")).rejects.toThrow("append-only");
      expect(await world.store.readEvents(world.roomId, 0, 50)).toHaveLength(20);
    });

    test("can be pruned by naming the room, and in no other way", async ({ skip }) => {
      const world = await withTwentyNotes();
      const { sql = skip("there is no SQL in memory") } = world.backend;
      await sql(`BEGIN;
        INSERT INTO pruning (room_id) VALUES ('${world.roomId}');
        DELETE FROM events WHERE room_id = '${world.roomId}' AND event_seq <= 5;
        DELETE FROM pruning;
        COMMIT`);
      const rest = await world.store.readEvents(world.roomId, 0, 50);
      expect(rest[0]?.seq).toBe(6);
      await expect(sql("DELETE FROM events WHERE event_seq = 6")).rejects.toThrow("append-only");
    });

    test("a room that names evidence which is not in the log is store_corrupt", async ({ skip }) => {
      const world = await StoreWorld.open(openBackend);
      const { sql = skip("there is no SQL in memory") } = world.backend;
      await world.join("claude:1");
      await world.wait("claude:1");
      await world.release("claude:1");
      await world.attachEvidence("claude:1");
      await sql("UPDATE rooms SET evidence_seq = 999");
      const fault = { name: "Fault", code: "store_corrupt" };
      await expect(world.store.readRoom(world.roomId)).rejects.toMatchObject(fault);
    });

    test("a row that no decision could have written is store_corrupt", async ({ skip }) => {
      const world = await withTwentyNotes();
      const { sql = skip("there is no SQL in memory") } = world.backend;
      const damage: readonly [statement: string, read: () => Promise<unknown>][] = [
        ["UPDATE members SET card = '{\"purpose\": 1}'", () => world.store.readRoom(world.roomId)],
        ["UPDATE members SET card = '{'", () => world.store.readRooms({})],
        ["UPDATE members SET card = NULL; DELETE FROM handles", () => world.store.readRoom(world.roomId)],
        ["UPDATE rooms SET policy = '{}'", () => world.store.readRoom(world.roomId)],
        ["UPDATE rooms SET handoff_seq = 999, handoff_from = 'x'", () => world.store.readRoom(world.roomId)],
        ["UPDATE notes SET body = 'not JSON'", () => world.store.readNotes(world.roomId, 9, { unresolvedOnly: true })],
        [strangeEvent(world.roomId, 21, "{}", "no_such_type"), () => world.store.readEvents(world.roomId, 20, 9)],
        ...EVENT_TYPES.map((type, index): [string, () => Promise<unknown>] => [
          strangeEvent(world.roomId, 22 + index, '{"surprise": true}', type),
          () => world.store.readEvents(world.roomId, 21 + index, 9),
        ]),
      ];
      for (const [statement, read] of damage) {
        await sql(statement);
        await expect(read(), statement).rejects.toMatchObject({ name: "Fault", code: "store_corrupt" });
      }
      const changing = world.store.change({ roomId: world.roomId }, () => {
        throw new Error("nobody may decide on a damaged room");
      });
      await expect(changing).rejects.toMatchObject({ code: "store_corrupt" });
    });
  });
}

function strangeEvent(roomId: string, seq: number, payload: string, type: string): string {
  return `INSERT INTO events (room_id, event_seq, event_id, turn_id, event_type, created_at, payload)
    VALUES ('${roomId}', ${seq}, 'strange ${seq}', 0, '${type}', 'now', '${payload}')`;
}
