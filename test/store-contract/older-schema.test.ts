/**
 * Stores as older builds left them: the first steps of the schema alone were taken. Every read works and upgrades
 * nothing, and the first change upgrades.
 */
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { asAgentId, asEventId, asNoteId, asRoomId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../src/core/policy.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin } from "../../src/room/rules/change.ts";
import { MIGRATIONS as POSTGRES_STEPS } from "../../src/store/postgres/migrate.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { isReadable, NEWEST_VERSION } from "../../src/store/sql/schema-steps.ts";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";
import { MIGRATIONS as SQLITE_STEPS } from "../../src/store/sqlite/migrations.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { fakeClock } from "./fake-clock.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: older schemas of the PostgreSQL store: there is no server\n");

interface OlderStore {
  open(): Promise<Store>;
  version(): Promise<unknown>;
}

async function olderSqlite(version: number): Promise<OlderStore> {
  const file = join(temporaryDirectory(), "tt.db");
  const handle = loadSqliteDriver()(file);
  onTestFinished(() => handle.close());
  handle.exec("PRAGMA journal_mode = WAL");
  for (const step of SQLITE_STEPS.slice(0, version)) handle.exec(step);
  handle.exec(`PRAGMA application_id = 0x5453746b; PRAGMA user_version = ${version}`);
  return {
    open: () => openSqliteStore({ file, clock: fakeClock(), jitter: Math.random }),
    version: async () => handle.prepare("PRAGMA user_version").get()?.["user_version"],
  };
}

async function olderPostgres(version: number): Promise<OlderStore> {
  const url = server as string;
  const schema = `older_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(url, { max: 1, onnotice: () => undefined, connection: { search_path: schema } });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  await admin.unsafe(`CREATE SCHEMA ${schema}; CREATE TABLE schema_version (version integer NOT NULL)`);
  for (const step of POSTGRES_STEPS.slice(0, version)) await admin.unsafe(step);
  await admin.unsafe(`INSERT INTO schema_version (version) VALUES (${version})`);
  return {
    open: () => openPostgresStore({ url, schema }),
    version: async () => (await admin.unsafe("SELECT version FROM schema_version"))[0]?.["version"],
  };
}

const agent = asAgentId("claude:1");
const room = asRoomId("room");

function makeRoom(store: Store) {
  const otherwise = {
    id: room,
    host: "local",
    path: "/projects",
    project: "/projects",
    policy: DEFAULT_POLICY,
    createdAt: "2026-01-01T00:00:00.000Z",
  };
  const target = { host: "local", paths: ["/projects"], otherwise };
  return store.change(target, (loaded) => ({ change: begin(loaded.room), answer: true }));
}

const READS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  readRoom: (store) => store.readRoom(room),
  readRooms: (store) => store.readRooms({ agentId: agent }),
  "readRooms of paths": (store) => store.readRooms({ host: "local", paths: ["/projects"] }),
  readEvents: (store) => store.readEvents(room, 0, 10),
  readEventsBefore: (store) => store.readEventsBefore(room, 10, 10),
  readDeparture: (store) => store.readDeparture(room, [agent]),
  resolveAlias: (store) => store.resolveAlias(agent),
  readAliases: (store) => store.readAliases([agent]),
  readNotes: (store) => store.readNotes(room, 10, { unresolvedOnly: true }),
  countOpenNotes: (store) => store.countOpenNotes(room),
  readNote: (store) => store.readNote(room, asNoteId("note")),
  "readIds of messages": (store) => store.readIds({ kind: "message" }, "messag", 5),
  "readIds of notes": (store) => store.readIds({ kind: "note", roomId: room }, "note-1", 5),
  "readIds of rooms": (store) => store.readIds({ kind: "room" }, "room-1", 5),
  "readMailbox by lanes": (store) => store.readMailbox(agent, { kind: "lanes", from: null, perSender: 10 }),
  "readMailbox by ids": (store) => store.readMailbox(agent, { kind: "messages", ids: [asEventId("message")] }),
  readMessages: (store) => store.readMessages([asEventId("message")]),
  readReceivers: (store) => store.readReceivers([agent]),
  readWaitingAsks: (store) => store.readWaitingAsks(),
  readAsks: (store) => store.readAsks([asEventId("message")]),
  readUnansweredAsks: (store) => store.readUnansweredAsks(agent, 10),
  readHandles: (store) => store.readHandles("/projects"),
  readDeliveries: (store) => store.readDeliveries([asEventId("message")]),
  readSessions: (store) => store.readSessions("/projects"),
  findSessions: (store) => store.findSessions("session"),
  changeMark: (store) => store.changeMark(),
};

const older = Array.from({ length: NEWEST_VERSION }, (_, version) => version).filter(isReadable);

describe.each([
  { kind: "SQLite", older: olderSqlite, isHere: true },
  { kind: "PostgreSQL", older: olderPostgres, isHere: server !== null },
])("a $kind store", ({ older: olderStore, isHere }) => {
  describe.skipIf(!isHere).each(older)("with schema %i", (version) => {
    test("answers every read and stays as it is", async () => {
      const there = await olderStore(version);
      const store = await there.open();
      for (const [name, read] of Object.entries(READS)) await expect(read(store), name).resolves.toBeDefined();
      await store.close();
      expect(await there.version()).toBe(version);
    });

    test("is upgraded by the first change, and connections from before go on", async () => {
      const there = await olderStore(version);
      const [first, second] = [await there.open(), await there.open()];
      for (const read of Object.values(READS)) await read(second);
      expect((await makeRoom(first))?.created).toBe(true);
      expect(await there.version()).toBe(NEWEST_VERSION);
      for (const [name, read] of Object.entries(READS)) await expect(read(second), name).resolves.toBeDefined();
      expect((await second.readRoom(room))?.room.path).toBe("/projects");
      expect((await makeRoom(second))?.created).toBe(false);
      await first.close();
      await second.close();
    });
  });
});
