/**
 * E3. The contract suite runs the same test bodies on every store. Here the whole service lives through the same
 * random history on all of them, and every answer, the room and its log must be the same but for ids and times.
 */
import { join } from "node:path";
import postgres from "postgres";
import { expect, inject, onTestFinished } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { SeededRandom } from "../support/random.ts";
import { HANDOFF } from "../support/room-world.ts";
import { agentCalled, servicePorts } from "../support/service-ports.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const AGENTS = ["claude:1", "claude:2", "codex:1", "human:x"];
const STEPS = 60;
const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: E3 on PostgreSQL: there is no server\n");

let ticks = 1000;

/** Like a server's clock it never tells the same time twice: who was first is the same everywhere. */
const clock: Clock = {
  now: () => {
    ticks += 0.001;
    return { instant: { epoch: "boot", ms: ticks }, suspendedMs: 0, wallMs: Math.floor(ticks) };
  },
};

/** The service for each agent, on one store, with ids in a row. */
function sticksOn(store: Store): TalkingStick[] {
  let ids = 0;
  const deps = servicePorts({
    store,
    clock,
    random: { id: () => `id${(ids += 1)}-${Math.random().toString(36).slice(2)}` },
    workingTree: { head: () => "head", checkedOut: () => null, evidence: async () => null, missing: () => [] },
    workspace: {
      locate: async (path: string) => ({
        requestedPath: path,
        canonicalPath: path,
        workspaceRoot: path,
        project: path,
        candidates: [path],
      }),
      isThere: () => true,
      hadCommit: async () => false,
    },
  });
  return AGENTS.map((agent) => createTalkingStick(deps, agentCalled(agent, { person: agent.startsWith("human") })));
}

interface Memory {
  roomId: string;
  token: { leaseId: string; expectedTurnId: number };
  noteId: string;
}

/** One random call. The same seed makes the same call on every store. */
async function step(random: SeededRandom, stick: TalkingStick, memory: Memory): Promise<unknown> {
  const { roomId, token, noteId } = memory;
  const other = random.pick(AGENTS);
  const handoff = random.chance(0.9) ? HANDOFF : { status: "" };
  const calls = [
    () => stick.joinPath({ contextPath: "/tree" }),
    () => stick.waitForTurn({ roomId, maxWaitMs: 0 }),
    () => stick.waitForTurn({ roomId, maxWaitMs: 0, claim: false }),
    // A call whose time is up at once, and which keeps its place in the queue.
    () =>
      stick.waitForTurn({ roomId, maxWaitMs: 60_000, wakeOnMessage: random.chance(0.5), enough: AbortSignal.abort() }),
    () => stick.releaseStick({ roomId, ...token, handoff }),
    () => stick.passStick({ roomId, ...token, handoff, toAgentId: other, operatorRequested: random.chance(0.5) }),
    () =>
      stick.takeoverStick({
        roomId,
        expectedTurnId: token.expectedTurnId,
        reason: "it is late",
        operatorRequested: true,
      }),
    () => stick.heartbeat({ roomId, ...token }),
    () => stick.leaveRoom({ roomId }),
    () => stick.kickMember({ roomId, targetAgentId: other, force: true }),
    () => stick.closeRoom({ roomId, operatorRequested: true }),
    () => stick.changePolicy({ roomId, changes: { leaseTtlMs: 1000 * random.between(1, 100) } }),
    () => stick.addNote({ roomId, body: "remember \u0000 this", turnId: random.between(0, 3) }),
    () => stick.resolveNote({ roomId, noteId }),
    () => stick.nameMyself({ roomId, handle: random.pick(["left", "right", "claude", "no handle"]) }),
  ];
  const answer: object = await random.pick(calls)();
  if ("noteId" in answer) memory.noteId = String(answer.noteId);
  if ("leaseId" in answer && "turnId" in answer) {
    memory.token = { leaseId: String(answer.leaseId), expectedTurnId: Number(answer.turnId) };
  }
  return answer;
}

async function live(seed: number, store: Store): Promise<unknown> {
  const random = new SeededRandom(seed);
  const sticks = sticksOn(store);
  const joined = await sticks[0]?.joinPath({ contextPath: "/tree" });
  if (!joined || isRefusal(joined)) throw new Error("the first join cannot be refused");
  const memory = { roomId: joined.roomId, token: { leaseId: "none", expectedTurnId: 0 }, noteId: "none" };
  const answers: unknown[] = [];
  for (let index = 0; index < STEPS; index += 1) answers.push(await step(random, random.pick(sticks), memory));
  const snapshot = await store.readRoom(asRoomId(memory.roomId));
  const events = await store.readEvents(asRoomId(memory.roomId), 0, 1000);
  const notes = await store.readNotes(asRoomId(memory.roomId), 200, { unresolvedOnly: false });
  return normalised({ answers, room: snapshot?.room, events, notes });
}

function byKey([a]: [unknown, unknown], [b]: [unknown, unknown]): number {
  return String(a) < String(b) ? -1 : 1;
}

function mapsAsLists(_: string, item: unknown): unknown {
  return item instanceof Map ? [...item.entries()].toSorted(byKey) : item;
}

/** Ids by the order in which they appear; times and instants by their presence. */
function normalised(value: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value, mapsAsLists)
    .replace(/id\d+-[a-z0-9]+/g, (id) => ids.get(id) ?? (ids.set(id, `#${ids.size + 1}`).get(id) as string))
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "then")
    .replace(/"(ms|silent_ms)":[\d.]+/g, '"$1":0')
    .replace(/"epoch":"[a-z]+"/g, '"epoch":""');
  return JSON.parse(text);
}

async function openStores(): Promise<Store[]> {
  const file = join(quickDirectory(), "tt.db");
  const stores: Store[] = [openMemoryStore({ clock }), await openSqliteStore({ file, clock, jitter: () => 0.5 })];
  if (server !== null) stores.push(await openPostgresStore({ url: server, schema: await freshSchema(server) }));
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return stores;
}

async function freshSchema(url: string): Promise<string> {
  const schema = `same_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  return schema;
}

verifies("E3", "one history has the same answers, the same room and the same log everywhere", async () => {
  const first = freshSeed();
  for (let round = 0; round < figure(20, 2000); round += 1) {
    const seed = first + round;
    const [reference, ...others] = await Promise.all((await openStores()).map((store) => live(seed, store)));
    for (const other of others) expect(other, `seed ${seed}`).toEqual(reference);
  }
});
