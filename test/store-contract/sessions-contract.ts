import { describe, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { elapsedMs, type Instant } from "../../src/core/time.ts";
import { newSession, type Session } from "../../src/session/rules/session.ts";
import { accepted } from "../support/service-world.ts";
import { MailWorld } from "./mail-world.ts";
import { type OpenBackend, StoreWorld } from "./store-world.ts";

const OLD = "claude:old";
const NEW = "claude:new";

function sessionOf(agent: string, project = "/work"): Session {
  return {
    ...newSession({ agentId: asAgentId(agent), project }, "claude"),
    harnessVersion: "2.1.325",
    sessionId: "898509a1",
    idSource: "environment",
    cwd: "/home/ada/ünïcödé 🪄",
    transcriptPath: "/home/ada/898509a1.jsonl",
    capabilities: { mailbox: { replyTo: false, provenance: true, pushBudget: false } },
    activity: { state: "busy", since: "2026-01-01T00:00:00.000Z" },
    process: { host: "local", bootId: "boot", pidNamespace: "pid:[1]", pid: 4711, startTicks: "99" },
    hooked: true,
    waker: { host: "local", bootId: "boot", pidNamespace: "pid:[1]", pid: 4712, startTicks: "100" },
    turn: "7f3c-ünïcödé",
    servers: [{ host: "local", bootId: "boot", pidNamespace: "pid:[1]", pid: 4713, startTicks: "101" }],
  };
}

export function sessionsContract(openBackend: OpenBackend): void {
  const open = () => StoreWorld.open(openBackend);

  describe("what is known about sessions", () => {
    test("is read as it was written, by its project alone", async () => {
      const world = await open();
      expect(await save(world, sessionOf("claude:1"))).toBe(true);
      await save(world, sessionOf("codex:1"));
      await save(world, sessionOf("claude:1", "/elsewhere"));
      expect(await world.other.readSessions("/work")).toStrictEqual([sessionOf("claude:1"), sessionOf("codex:1")]);
      expect(await world.other.readSessions("/nowhere")).toEqual([]);
    });

    test("is found by the id that its harness gave it, in every project", async () => {
      const world = await open();
      await save(world, sessionOf("claude:1"));
      await save(world, sessionOf("claude:1", "/elsewhere"));
      await save(world, { ...sessionOf("codex:1"), sessionId: "another" });
      await save(world, { ...sessionOf("human:ada"), sessionId: null });
      expect(await world.other.findSessions("898509a1")).toStrictEqual([
        sessionOf("claude:1", "/elsewhere"),
        sessionOf("claude:1"),
      ]);
      expect(await world.other.findSessions("nobody's")).toEqual([]);
    });

    test("is not written again while nothing differs", async () => {
      const world = await open();
      await save(world, sessionOf("claude:1"));
      const mark = await world.other.changeMark();
      const key = { agentId: asAgentId("claude:1"), project: "/work" };
      expect(await world.store.changeSession(key, (known) => known as Session)).toBe(false);
      if (world.backend.markIsOurs) expect(await world.other.changeMark()).toBe(mark);
    });

    test("is changed by the time that a read of a room tells, too", async () => {
      const world = await open();
      const read = async () => (await world.store.readRooms({})).moment.instant;
      const before = await read();
      const times: Instant[] = [];
      await world.store.changeSession(sessionOf("claude:1"), (_, now) => {
        times.push(now().instant);
        return sessionOf("claude:1");
      });
      const later = await read();
      for (const time of times) {
        expect(elapsedMs(before, time)).toBeGreaterThanOrEqual(0);
        expect(elapsedMs(time, later)).toBeGreaterThanOrEqual(0);
      }
      expect(times).not.toEqual([]);
    });

    test("tells the turn that it is in, until another begins", async () => {
      const world = await open();
      for (const turn of ["turn-1", "turn-2", null]) {
        expect(await save(world, { ...sessionOf("claude:1"), turn })).toBe(true);
        expect((await world.other.readSessions("/work"))[0]?.turn).toBe(turn);
      }
    });

    test("is given to the function that changes it, and null for a session without a row", async () => {
      const world = await open();
      const key = { agentId: asAgentId("claude:1"), project: "/work" };
      const seen: (Session | null)[] = [];
      const change = (known: Session | null) => {
        seen.push(known);
        return { ...sessionOf("claude:1"), harnessVersion: known ? "2" : "1" };
      };
      await world.store.changeSession(key, change);
      await world.other.changeSession(key, change);
      expect(seen[0]).toBeNull();
      expect(seen.at(-1)?.harnessVersion).toBe("1");
      expect((await world.store.readSessions("/work"))[0]?.harnessVersion).toBe("2");
    });
  });

  describe("an ask of a session that knows no reply_to", () => {
    test("takes its next message for the answer, and leaves what it said before", async () => {
      const world = await MailWorld.open(openBackend);
      await world.join("claude:1", "codex:1");
      await world.deps.store.changeSession(sessionOf("codex:1", "/tree"), () => sessionOf("codex:1", "/tree"));
      await world.send("codex:1", "claude:1", "before");
      const { roomId } = world;
      const onSent = () => void world.send("codex:1", "claude:1", "after");
      const asking = world.as("claude:1").askPeer({ roomId, to: "codex:1", body: "?", timeoutMs: 60_000, onSent });
      const { answer, confirm } = accepted(await asking);
      await confirm();
      expect(answer).toMatchObject({ reply: { body: "after" }, correlation: "uncorrelated" });
      expect(await world.read("claude:1")).toEqual(["before"]);
    });
  });

  describe("a session that is merged into its verified name", () => {
    test("takes its row along, in every project", async () => {
      const world = await open();
      await save(world, sessionOf(OLD));
      await save(world, sessionOf(OLD, "/elsewhere"));
      await merge(world);
      expect(await world.other.readSessions("/work")).toStrictEqual([sessionOf(NEW)]);
      expect(await world.other.readSessions("/elsewhere")).toStrictEqual([sessionOf(NEW, "/elsewhere")]);
    });

    test("keeps the row of its own name where it has one", async () => {
      const world = await open();
      await save(world, sessionOf(OLD));
      const own = { ...sessionOf(NEW), cwd: "/home/ada/own" };
      await save(world, own);
      await merge(world);
      expect(await world.other.readSessions("/work")).toStrictEqual([own]);
    });

    test("takes its row and its mail along where it is in no room", async () => {
      const world = await MailWorld.open(openBackend);
      const { store } = world.deps;
      const [old, now] = [asAgentId(OLD), asAgentId(NEW)];
      await world.join("codex:1");
      await store.changeSession(sessionOf(OLD, "/tree"), () => sessionOf(OLD, "/tree"));
      await store.changeSession(sessionOf(OLD, "/elsewhere"), () => sessionOf(OLD, "/elsewhere"));
      await world.send("codex:1", OLD, "hello");
      await store.supersede(old, now);
      expect(await store.resolveAlias(old)).toBe(NEW);
      expect(await store.readSessions("/tree")).toStrictEqual([sessionOf(NEW, "/tree")]);
      expect(await store.readSessions("/elsewhere")).toStrictEqual([sessionOf(NEW, "/elsewhere")]);
      await world.send("codex:1", OLD, "again");
      expect(await world.read(NEW)).toEqual(["hello", "again"]);
      await store.supersede(old, now);
      expect(await store.resolveAlias(old)).toBe(NEW);
    });

    test("is still the same when a call tells of it under its former name", async () => {
      const world = await open();
      await merge(world);
      await save(world, sessionOf(OLD));
      expect(await world.other.readSessions("/work")).toStrictEqual([sessionOf(NEW)]);
    });
  });
}

function save(world: StoreWorld, session: Session): Promise<boolean> {
  return world.store.changeSession(session, () => session);
}

async function merge(world: StoreWorld): Promise<void> {
  await world.join(OLD);
  world.remember(NEW, OLD);
  await world.join(NEW);
}
