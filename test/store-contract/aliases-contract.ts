import { describe, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { Aliases } from "../../src/room/rules/alias.ts";
import { record } from "../../src/room/rules/change.ts";
import { evolve } from "../../src/room/rules/evolve.ts";
import { joinRoom } from "../../src/room/rules/join.ts";
import { nameMyself } from "../../src/room/rules/name-myself.ts";
import { INITIAL_STATE } from "../../src/room/rules/room.ts";
import { type OpenBackend, StoreWorld } from "./store-world.ts";

const OLD = "claude:old";
const NEW = "claude:new";

/** `StoreWorld` compares the room and the log with what was decided after every command below. */
export function aliasesContract(openBackend: OpenBackend): void {
  const open = () => StoreWorld.open(openBackend);

  describe("a session that is merged into its verified name", () => {
    test("keeps its membership, the stick and the lease", async () => {
      const world = await open();
      await world.join(OLD);
      await world.wait(OLD);
      await world.join("codex:1");
      await world.wait("codex:1");
      const { lease } = await world.room();
      world.remember(NEW, OLD);
      await world.join(NEW);
      const room = await world.room();
      expect([...room.state.members.keys()].toSorted()).toEqual([NEW, "codex:1"]);
      expect(room.state.owner).toBe(NEW);
      expect(room.lease?.leaseId).toBe(lease?.leaseId);
      expect((await world.release(NEW)).decision.answer).toMatchObject({ status: "released", reservedFor: "codex:1" });
    });

    test("keeps its place in the queue, its wait and its handle", async () => {
      const world = await open();
      await world.join("codex:1");
      await world.wait("codex:1");
      await world.join(OLD);
      await world.join("gemini:1");
      await world.wait("gemini:1");
      await world.wait(OLD);
      world.remember(NEW, OLD);
      await world.addNote(NEW, "n1", "under my own name");
      const room = await world.room();
      expect(room.waits.get(asAgentId(NEW))).toMatchObject({ claims: true });
      expect(room.presence.get(asAgentId(NEW))?.handle).toBe("claude");
      expect((await world.release("codex:1")).decision.answer).toMatchObject({ reservedFor: NEW });
    });

    test("keeps its reservation, though both names are members", async () => {
      const world = await open();
      await world.join("codex:1");
      await world.wait("codex:1");
      await world.join(NEW);
      await world.wait(OLD);
      await world.release("codex:1");
      expect((await world.room()).state.reservation?.agentId).toBe(OLD);
      world.remember(NEW, OLD);
      await world.join(NEW);
      expect((await world.room()).state.reservation?.agentId).toBe(NEW);
      const events = await world.store.readEvents(world.roomId, 0, 100);
      expect(events.reduce(evolve, INITIAL_STATE)).toEqual((await world.room()).state);
    });
  });

  describe("that an agent has been in a room", () => {
    test("is known of an agent that came in or was another one's successor there, also when it has left", async () => {
      const world = await open();
      await world.join(OLD);
      const { roomId } = world;
      world.remember(NEW, OLD);
      await world.join(NEW);
      await world.leave(NEW);
      await world.join("codex:1", ["/other"]);
      const reasons: unknown[] = [];
      for (const name of [NEW, "codex:1"]) {
        const agentId = asAgentId(name);
        const changed = await world.other.change({ roomId }, (loaded) => {
          const given = world.given(name, loaded.moment);
          return joinRoom(loaded.room, { ...given, hasBeenHere: () => loaded.hasBeenHere(agentId) }, loaded.handles);
        });
        reasons.push(changed?.decision.change.events.map(({ payload }) => (payload as { reason: string }).reason));
      }
      expect(reasons).toEqual([["returned"], ["first"]]);
    });
  });

  describe("a former name", () => {
    test("always leads to the present one, and other names to themselves", async () => {
      const world = await open();
      await world.join(OLD);
      world.remember(NEW, OLD);
      await world.join(NEW);
      expect(await resolve(world, OLD)).toBe(NEW);
      expect(await resolve(world, NEW)).toBe(NEW);
      expect(await resolve(world, "codex:1")).toBe("codex:1");
      await world.leave(NEW);
      expect(await resolve(world, OLD)).toBe(NEW);
    });

    test("is its own again when its session has come back", async () => {
      const world = await open();
      await world.join(OLD);
      world.remember(NEW, OLD);
      await world.join(NEW);
      expect(await aliasesHere(world)).toEqual(new Map([[OLD, NEW]]));
      await world.store.reclaimName(asAgentId(OLD));
      expect(await resolve(world, OLD)).toBe(OLD);
      expect(await aliasesHere(world)).toEqual(new Map());
      await world.store.reclaimName(asAgentId(NEW));
      expect(await resolve(world, NEW)).toBe(NEW);
    });

    test("is told to decisions about a room in which its session is a member", async () => {
      const world = await open();
      await world.join(OLD);
      world.remember(NEW, OLD);
      await world.join(NEW);
      expect(await aliasesHere(world)).toEqual(new Map([[OLD, NEW]]));
      await world.join("codex:1", ["/other"]);
      expect(await aliasesHere(world)).toEqual(new Map());
    });

    test("is told to decisions about a room that still knows its session by it", async () => {
      const world = await open();
      await world.join(OLD, ["/other"]);
      const { roomId } = world;
      await world.join(OLD);
      world.remember(NEW, OLD);
      await world.join(NEW);
      world.roomId = roomId;
      expect(await aliasesHere(world)).toEqual(new Map([[OLD, NEW]]));
    });

    test("is found among others with the present one", async () => {
      const world = await open();
      await world.join(OLD);
      world.remember(NEW, OLD);
      await world.join(NEW);
      const names = [OLD, NEW, "codex:1"].map(asAgentId);
      expect(await world.other.readAliases(names)).toEqual(new Map([[OLD, NEW]]));
      expect(await world.other.readAliases([])).toEqual(new Map());
    });

    test("follows when its session is superseded again, and ends when it is used again", async () => {
      const world = await open();
      await world.join("claude:1");
      await supersede(world, "claude:1", "claude:2");
      await supersede(world, "claude:2", "claude:3");
      expect(await resolve(world, "claude:1")).toBe("claude:3");
      expect(await resolve(world, "claude:2")).toBe("claude:3");
      await supersede(world, "claude:3", "claude:1");
      expect(await resolve(world, "claude:1")).toBe("claude:1");
      expect(await resolve(world, "claude:3")).toBe("claude:1");
      expect(await resolve(world, "claude:2")).toBe("claude:1");
    });

    test("that superseded itself leads nowhere", async () => {
      const world = await open();
      await world.join("claude:1");
      await supersede(world, "claude:1", "claude:1");
      expect(await resolve(world, "claude:1")).toBe("claude:1");
    });
  });

  describe("a handle belongs to the project", () => {
    test("and stays known in a room that has not merged the two names yet", async () => {
      const world = await open();
      await world.join(OLD, ["/other"]);
      const other = world.roomId;
      await world.join(OLD);
      world.remember(NEW, OLD);
      await world.join(NEW);
      const seen = await world.other.readRoom(other);
      expect(seen?.room.presence.get(asAgentId(OLD))?.handle).toBe("claude");
      await world.leave(NEW);
      await world.join("claude:next");
      expect((await world.room()).presence.get(asAgentId("claude:next"))?.handle).toBe("claude-2");
      await world.join(NEW, ["/other"]);
      expect((await world.room()).presence.get(asAgentId(NEW))?.handle).toBe("claude");
    });

    test("and is the same in all its rooms when its agent chooses another", async () => {
      const world = await open();
      await world.join("claude:1", ["/other"]);
      const other = world.roomId;
      await world.join("claude:1");
      await world.here("claude:1", ({ room, handles }, given) =>
        nameMyself(room, given, handles, { handle: "scribe" }),
      );
      const seen = await world.other.readRoom(other);
      expect(seen?.room.presence.get(asAgentId("claude:1"))?.handle).toBe("scribe");
    });
  });
}

function resolve(world: StoreWorld, name: string) {
  return world.other.resolveAlias(asAgentId(name));
}

async function aliasesHere(world: StoreWorld): Promise<Aliases> {
  const changed = await world.store.change({ roomId: world.roomId }, ({ room, aliases }) => ({
    change: { room, events: [] },
    answer: aliases,
  }));
  return changed?.decision.answer as Aliases;
}

async function supersede(world: StoreWorld, old: string, present: string): Promise<void> {
  const payload = { supersededAgentId: asAgentId(old) };
  await world.here(present, ({ room }, given) => {
    const presence = new Map(
      [...room.presence.values()].map((known) => [asAgentId(present), { ...known, agentId: asAgentId(present) }]),
    );
    const change = record({ room, events: [] }, given, "session_superseded", payload, { from: asAgentId(present) });
    return { change: { ...change, room: { ...change.room, presence } }, answer: true };
  });
}
