/**
 * D3. Random histories of the whole service, with crashes, faults and lost commits, end in a store. What is stored
 * is then compared with what its log alone says. And the stores themselves refuse to alter their log.
 */
import { join } from "node:path";
import { describe, expect, inject, onTestFinished } from "vitest";
import type { RoomEvent } from "../../src/core/event.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { evolve } from "../../src/room/rules/evolve.ts";
import { evolveNotes, type Note } from "../../src/room/rules/note.ts";
import { INITIAL_STATE, type Room } from "../../src/room/rules/room.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { Counters } from "../sim/counters.ts";
import { World } from "../sim/world.ts";
import { withDatabase } from "../support/database-dump.ts";
import { ownSchema } from "../support/own-schema.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const STEPS = 40;
const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: D3 on PostgreSQL: there is no server\n");

interface Ground {
  /** A store for one history. Several may share a database, for their rooms have nothing in common. */
  readonly openStore: (clock: Clock) => Store | Promise<Store>;
  /** Whether the store has a clock of its own. */
  readonly foreignClock?: boolean;
}

/** Lives through random histories and replays the log of every room that they leave behind. */
async function replayHistories(histories: number, ground: Ground): Promise<void> {
  const first = freshSeed();
  const counters = new Counters();
  for (let index = 0; index < histories; index += 1) {
    const seed = (first + index) % 2 ** 31;
    counters.addAll(await liveAndReplay(seed, ground));
  }
  if (process.env["TT_SEED"] !== undefined) return;
  // Histories in which nothing happened prove nothing.
  const happened = [
    "claim open_claim",
    "release",
    "member_joined first",
    "note_added",
    "note_resolved",
    "pass",
    "evidence_attached",
  ];
  expect(counters.missing(happened.map((name) => `event ${name}`))).toEqual([]);
}

async function liveAndReplay(seed: number, { openStore, foreignClock = false }: Ground): Promise<Counters> {
  const opened: Store[] = [];
  const world = await World.open({
    seed,
    foreignClock,
    openStore: async (clock) => {
      const store = await openStore(clock);
      opened.push(store);
      return store;
    },
  });
  for (let step = 0; step < STEPS; step += 1) {
    await world.step();
    await world.runReady();
  }
  for (const store of opened) {
    for (const { room } of world.watches.values()) await expectReplay(store, room.id, seed);
  }
  return world.counters;
}

async function expectReplay(store: Store, roomId: Room["id"], seed: number): Promise<void> {
  const events = await wholeLog(store, roomId);
  const stored = await store.readRoom(roomId);
  const told = `the log of seed ${seed} (TT_SEED=${seed} repeats it)`;
  expect(
    events.map((event) => event.seq),
    told,
  ).toEqual(events.map((_, index) => index + 1));
  expect(events.reduce(evolve, INITIAL_STATE), told).toEqual(stored?.room.state);
  const notes = events.reduce(evolveNotes, new Map<Note["noteId"], Note>());
  expect([...notes.values()], told).toEqual(await store.readNotes(roomId, 10_000, { unresolvedOnly: false }));
}

async function wholeLog(store: Store, roomId: Room["id"]): Promise<readonly RoomEvent[]> {
  const events: RoomEvent[] = [];
  for (;;) {
    const batch = await store.readEvents(roomId, events.length, 100);
    if (batch.length === 0) return events;
    events.push(...batch);
  }
}

const ALTERATIONS = [
  "UPDATE events SET reason = 'another'",
  "UPDATE events SET event_seq = event_seq + 1000",
  "DELETE FROM events",
  "DELETE FROM events WHERE event_seq = 1",
];

/** Histories with one SQLite file, each through a connection of its own. */
function sqliteFile() {
  const file = join(quickDirectory(), "tt.db");
  const opened: Store[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
  });
  const openStore = async (clock: Clock) => {
    await opened.pop()?.close();
    const store = await openSqliteStore({ file, clock, jitter: () => 0.5 });
    opened.push(store);
    return store;
  };
  return { file, openStore };
}

async function postgresSchema() {
  const { url, schema, admin } = ownSchema(server as string, "log");
  const store = await openPostgresStore({ url, schema });
  onTestFinished(() => store.close());
  return { admin, openStore: () => store, foreignClock: true };
}

verifies("D3", "in memory, the log of every history gives the stored room and notes", () =>
  replayHistories(figure(1850, 96_000), { openStore: (clock) => openMemoryStore({ clock }) }),
);

verifies("D3", "on SQLite, the log of every history gives the stored room and notes", () =>
  replayHistories(figure(100, 2000), sqliteFile()),
);

verifies("D3", "SQLite refuses to alter or delete an event", async () => {
  const ground = sqliteFile();
  await liveAndReplay(1, ground);
  withDatabase(ground.file, (handle) => {
    const before = handle.prepare("SELECT * FROM events").all();
    expect(before.length).toBeGreaterThan(3);
    const replacement = "INSERT OR REPLACE INTO events SELECT * FROM events WHERE event_seq = 1";
    for (const statement of [...ALTERATIONS, replacement]) {
      expect(() => handle.exec(statement), statement).toThrow("append-only");
    }
    expect(handle.prepare("SELECT * FROM events").all()).toEqual(before);
  });
});

describe.skipIf(server === null)("on PostgreSQL", () => {
  verifies("D3", "the log of every history gives the stored room and notes", async () => {
    await replayHistories(figure(50, 2000), await postgresSchema());
  });

  verifies("D3", "PostgreSQL refuses to alter or delete an event", async () => {
    const { admin, ...ground } = await postgresSchema();
    await liveAndReplay(1, ground);
    const before = await admin`SELECT * FROM events ORDER BY room_id, event_seq`;
    expect(before.length).toBeGreaterThan(3);
    for (const statement of [...ALTERATIONS, "TRUNCATE events CASCADE"]) {
      await expect(admin.unsafe(statement), statement).rejects.toThrow("append-only");
    }
    expect(await admin`SELECT * FROM events ORDER BY room_id, event_seq`).toEqual(before);
  });
});
