import { describe, expect, test } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { accepted } from "../support/service-world.ts";
import { MailWorld } from "./mail-world.ts";
import type { OpenBackend } from "./store-world.ts";

export function idsContract(openBackend: OpenBackend): void {
  const open = () => MailWorld.open(openBackend);

  describe("ids are found by their beginning", () => {
    test("messages in every room, and no other events", async () => {
      const world = await open();
      await world.join("a:1", "b:2");
      const { store } = world.deps;
      const sent = [await world.send("a:1", "b:2", "one"), await world.send("a:1", "b:2", "two")];
      for (const { messageId } of sent) {
        expect(await store.readIds({ kind: "message" }, messageId.slice(0, -1), 5)).toContain(messageId);
        expect(await store.readIds({ kind: "message" }, messageId, 5)).toContain(messageId);
      }
      const events = await store.readEvents(asRoomId(world.roomId), 0, 10);
      const joined = events.find(({ type }) => type === "member_joined");
      expect(await store.readIds({ kind: "message" }, joined?.eventId as string, 5)).not.toContain(joined?.eventId);
      expect(await store.readIds({ kind: "message" }, "nothing-begins-so", 5)).toEqual([]);
    });

    test("notes in their room alone", async () => {
      const world = await open();
      const { noteId } = accepted(await world.as("a:1").addNote({ roomId: world.roomId, body: "fixture 7" }));
      const { store } = world.deps;
      const beginning = noteId.slice(0, -1);
      expect(await store.readIds({ kind: "note", roomId: asRoomId(world.roomId) }, beginning, 5)).toContain(noteId);
      expect(await store.readIds({ kind: "note", roomId: asRoomId("elsewhere") }, beginning, 5)).toEqual([]);
    });

    test("rooms", async () => {
      const { deps, roomId } = await open();
      expect(await deps.store.readIds({ kind: "room" }, "room-of", 5)).toEqual([roomId]);
      expect(await deps.store.readIds({ kind: "room" }, "Room-of", 5)).toEqual([]);
    });
  });
}
