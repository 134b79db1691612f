/**
 * Goal: what was acknowledged is in the log, exactly once, whatever happened to the process afterwards.
 * Method: writers print each change once it was acknowledged and are killed at random moments, over and over.
 */
import { afterAll, beforeAll, expect } from "vitest";
import type { RoomEvent } from "../../src/core/event.ts";
import { type AgentId, asRoomId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { evolve } from "../../src/room/rules/evolve.ts";
import { INITIAL_STATE } from "../../src/room/rules/room.ts";
import { dumpDatabase } from "../support/database-dump.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { SeededRandom } from "../support/random.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, type Ground, groundAt, openWorld } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { Acknowledged, WriterOrder } from "./fixtures/durable-writer.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const WRITERS = ["claude:ann", "codex:bob", "gemini:cy", "opencode:di"];
/** A dead holder's stick may be taken at once, so that the dead do not stop the living. */
const SETTINGS = { TT_GONE_GRACE_MS: "0", TT_PRIOR_OWNER_COOLDOWN_MS: "0", TT_RELEASE_CLAIM_TTL_MS: "100" };

type Told = Acknowledged & { readonly agentId: string };

let writer: Bundle;
beforeAll(async () => {
  writer = await bundleSqliteFixture("durable-writer");
});
afterAll(() => writer.remove());

/** One life of a writer: until some changes after its first, and then a random moment more. */
async function liveAndDie(ground: Ground, order: WriterOrder, random: SeededRandom): Promise<Told[]> {
  const running = startFixture(writer, [JSON.stringify(order)], { env: { ...ground.env } });
  const told: Told[] = [];
  const changesToSee = random.between(1, 12);
  const lingerMs = random.between(0, 4);
  for await (const line of running.lines()) {
    told.push({ ...(line as Acknowledged), agentId: order.agentId });
    if (told.length === changesToSee) setTimeout(() => running.child.kill("SIGKILL"), lingerMs);
  }
  expect(await running.ended).toEqual({ code: null, signal: "SIGKILL", stderr: "" });
  return told;
}

async function wholeLog(deps: Deps, roomId: string): Promise<RoomEvent[]> {
  const log: RoomEvent[] = [];
  for (;;) {
    const page = await deps.store.readEvents(asRoomId(roomId), log.length, 1000);
    if (page.length === 0) return log;
    log.push(...page);
  }
}

/** How often the log holds what was acknowledged. */
function counterOf(log: readonly RoomEvent[]): (told: Told) => number {
  const counts = new Map<string, number>();
  for (const event of log) {
    const key = keyOfEvent(event);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (told) => counts.get(keyOf(told)) ?? 0;
}

function keyOf(told: Told): string {
  if (told.did === "note") return JSON.stringify(["note", told.agentId, told.noteId, told.body]);
  if (told.did === "claim") return JSON.stringify(["claim", told.agentId, told.turnId]);
  return JSON.stringify(["release", told.agentId, told.eventSeq, told.status]);
}

function keyOfEvent(event: RoomEvent): string | null {
  const agentId = event.fromAgentId ?? "";
  if (event.type === "note_added") {
    return keyOf({ did: "note", agentId, noteId: event.payload.noteId, body: event.payload.body });
  }
  if (event.type === "claim" || event.type === "takeover")
    return keyOf({ did: "claim", agentId, turnId: event.turnId });
  if (event.type !== "release") return null;
  return keyOf({ did: "release", agentId, eventSeq: event.seq, status: event.handoff?.status ?? "" });
}

async function checkRoom(deps: Deps, roomId: string, log: readonly RoomEvent[]): Promise<void> {
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
  expect(new Set(log.map((event) => event.eventId)).size).toBe(log.length);
  const room = (await deps.store.readRoom(asRoomId(roomId)))?.room;
  expect(room?.state).toEqual(log.reduce(evolve, INITIAL_STATE));
  expect([...(room?.presence.keys() ?? [])].toSorted()).toEqual(WRITERS as AgentId[]);
}

const kills = figure(200, 10_000);

verifies("D1", `four writers die ${kills} times by kill -9`, async () => {
  const seed = freshSeed();
  console.log(`D1 seed ${seed}`);
  const random = new SeededRandom(seed);
  const ground = groundAt(temporaryDirectory(), SETTINGS);
  const deps = await openWorld(ground);
  const { roomId } = accepted(await actor(deps, "claude:ann").joinPath({ contextPath: ground.tree }));
  const told: Told[] = [];
  const livesLeft = Array.from({ length: kills }).keys();
  await inParallel(WRITERS.length, WRITERS, async (agentId) => {
    for (const life of livesLeft) {
      const order = { agentId, tree: ground.tree, seed: seed + life };
      told.push(...(await liveAndDie(ground, order, random)));
    }
  });
  const log = await wholeLog(deps, roomId);
  const timesInLog = counterOf(log);
  expect(told.filter((one) => timesInLog(one) !== 1)).toEqual([]);
  expect(new Set(told.map((one) => one.did))).toEqual(new Set(["note", "claim", "release"]));
  await checkRoom(deps, roomId, log);
  await deps.store.close();
  const { integrity, brokenReferences, tables } = dumpDatabase(ground.database);
  expect({ integrity, brokenReferences }).toEqual({ integrity: "ok", brokenReferences: 0 });
  expect(tables["notes"]?.length).toBe(log.filter((event) => event.type === "note_added").length);
  console.log(`D1 ${kills} kills, ${told.length} acknowledged changes, ${log.length} events`);
});
