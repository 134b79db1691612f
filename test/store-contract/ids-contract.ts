import { describe, expect, test } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { newSession } from "../../src/session/rules/session.ts";
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

    test("sessions once, ascending, and no more than wanted", async () => {
      const { store } = (await open()).deps;
      for (const project of ["/x", "/y"]) {
        for (const sessionId of ["898509a1", "898509b2", "898510", null]) {
          const key = { agentId: asAgentId(`claude:${sessionId}`), project };
          await store.changeSession(key, () => ({ ...newSession(key, "claude"), sessionId }));
        }
      }
      expect(await store.readIds({ kind: "session" }, "8985", 5)).toEqual(["898509a1", "898509b2", "898510"]);
      expect(await store.readIds({ kind: "session" }, "898509", 5)).toEqual(["898509a1", "898509b2"]);
      expect(await store.readIds({ kind: "session" }, "8985", 1)).toEqual(["898509a1"]);
      expect(await store.readIds({ kind: "session" }, "8%8", 5)).toEqual([]);
    });
  });
}
