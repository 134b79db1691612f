/**
 * Goal: an upgrade disturbs nobody who need not be disturbed. A newer build reads the store as it is; its first change
 * upgrades it; older builds go on, also in the middle of a running server, unless they would damage something.
 * Method: the built program and two more builds of it, each with one more step of the schema, side by side on one store.
 */
import { spawnSync } from "node:child_process";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished } from "vitest";
import { type Connected, McpWorld } from "../mcp/support/mcp-world.ts";
import { withDatabase } from "../support/database-dump.ts";
import { buildFuture, type FutureBuild } from "./builds/future-build.ts";
import { verifies } from "./verifies.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: two builds on PostgreSQL: there is no server\n");

let additive: FutureBuild;
let damaging: FutureBuild;
beforeAll(() => {
  additive = buildFuture({ damaging: false });
  damaging = buildFuture({ damaging: true });
});
afterAll(() => {
  additive.remove();
  damaging.remove();
});

/** Each ends with 0 and needs the store. */
const READS = [
  "status",
  "status --prompt",
  "list --all",
  "state",
  "policy",
  "peers",
  "events",
  "notes",
  "msg recv --peek",
  "dlq list",
  "doctor",
  "export",
  "prune",
  "whoami",
];
const READING_TOOLS = ["list_rooms", "get_room_state", "get_room_events", "list_notes", "list_project_sessions"];

const TOO_NEW = { error: "store_too_new", next: expect.stringContaining("restart the client") as string };

interface Shared {
  readonly world: McpWorld;
  readonly env: Readonly<Record<string, string>>;
  /** The version of the schema, and everything in the log and the notes. */
  look(): Promise<{ readonly version: unknown; readonly log: readonly unknown[]; readonly notes: readonly unknown[] }>;
}

async function sharedSqlite(): Promise<Shared> {
  const world = new McpWorld();
  return {
    world,
    env: {},
    look: async () =>
      withDatabase(world.database, (handle) => ({
        version: handle.prepare("PRAGMA user_version").get()?.["user_version"],
        log: handle.prepare("SELECT event_id FROM events ORDER BY event_seq").all(),
        notes: handle
          .prepare("SELECT body FROM notes ORDER BY event_seq")
          .all()
          .map(({ body }) => body),
      })),
  };
}

async function sharedPostgres(): Promise<Shared> {
  const name = `builds_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server as string, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE DATABASE ${name}`);
  const url = new URL(server as string);
  url.pathname = `/${name}`;
  const look = postgres(url.href, { max: 1, connection: { search_path: "talking_stick" } });
  onTestFinished(async () => {
    await look.end();
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  return {
    world: new McpWorld(),
    env: { TT_STORE: url.href },
    look: async () => ({
      version: (await look`SELECT version FROM schema_version`)[0]?.["version"],
      log: [...(await look`SELECT event_id FROM events ORDER BY event_seq`)],
      notes: (await look`SELECT body FROM notes ORDER BY event_seq`).map(({ body }) => body as unknown),
    }),
  };
}

function tt({ world, env }: Shared, program: string, agent: string, words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words, "--json"], {
    cwd: world.tree,
    env: world.env({ TT_AGENT_ID: agent, ...env }),
    encoding: "utf8",
  });
  // Some answer with several lines, each an object.
  const [line = ""] = (stdout || stderr).split("\n");
  return { code: status, answer: JSON.parse(line || "{}") as Record<string, unknown> };
}

function addNote(shared: Shared, program: string, agent: string, body: string): void {
  expect(tt(shared, program, agent, ["notes", "add", body])).toMatchObject({ code: 0 });
}

/** A room with a note, all by today's build, and a server of it that has read and written. */
async function usedByToday(shared: Shared): Promise<Connected> {
  addNote(shared, shared.world.program, "a:1", "by today");
  const connected = await shared.world.connect("m:1", { env: shared.env });
  await connected.done("add_note", { body: "by the server of today" });
  await connected.done("list_notes");
  return connected;
}

const quoted = (bodies: readonly string[]) => bodies.map((body) => JSON.stringify(body));

describe.each([
  { kind: "SQLite", open: sharedSqlite, isHere: true },
  { kind: "PostgreSQL", open: sharedPostgres, isHere: server !== null },
])("on $kind", ({ open, isHere }) => {
  describe.skipIf(!isHere)("two builds", () => {
    verifies("P4", "a newer build reads the store as it is", async () => {
      const shared = await open();
      await usedByToday(shared);
      const before = await shared.look();
      for (const read of READS) {
        const { code, answer } = tt(shared, additive.program, "a:1", read.split(" "));
        expect([read, code, answer["error"]]).toEqual([read, 0, undefined]);
      }
      const { answer } = tt(shared, additive.program, "a:1", ["notes"]);
      expect(answer["notes"]).toMatchObject([{ body: "by today" }, { body: "by the server of today" }]);
      const newer = await shared.world.connect("m:2", { env: shared.env, program: additive.program });
      for (const tool of READING_TOOLS) await newer.done(tool);
      expect(await shared.look()).toEqual(before);
    });

    verifies("P4", "an upgrade that damages nothing leaves older builds and a running server at work", async () => {
      const shared = await open();
      const { program } = shared.world;
      const running = await usedByToday(shared);
      const newer = await shared.world.connect("m:2", { env: shared.env, program: additive.program });
      await newer.done("list_notes");
      const { version } = await shared.look();
      // The newer server has read first and upgrades with its first change.
      await newer.done("add_note", { body: "by the server of tomorrow" });
      expect((await shared.look()).version).toBe(Number(version) + 1);
      await running.done("add_note", { body: "by the running server" });
      addNote(shared, program, "a:1", "by today again");
      addNote(shared, additive.program, "b:1", "by tomorrow");
      const bodies = [
        "by today",
        "by the server of today",
        "by the server of tomorrow",
        "by the running server",
        "by today again",
        "by tomorrow",
      ];
      expect((await shared.look()).notes).toEqual(quoted(bodies));
      for (const listed of [
        await running.done("list_notes"),
        await newer.done("list_notes"),
        tt(shared, program, "a:1", ["notes"]).answer,
        tt(shared, additive.program, "a:1", ["notes"]).answer,
      ]) {
        expect(listed["notes"]).toMatchObject(bodies.map((body) => ({ body })));
      }
    });

    verifies("P4", "builds that would damage an upgraded store are refused and write nothing", async () => {
      const shared = await open();
      const { program } = shared.world;
      const running = await usedByToday(shared);
      addNote(shared, program, "holder:1", "has a turn");
      expect(tt(shared, program, "holder:1", ["try"])).toMatchObject({ answer: { status: "your_turn" } });
      let looks = 0;
      const waiting = running.call("wait_for_turn", { max_wait_ms: 50_000 }, { onProgress: () => void (looks += 1) });
      await expect.poll(() => looks).toBeGreaterThan(0);
      addNote(shared, damaging.program, "b:1", "by tomorrow");
      const before = await shared.look();
      expect(await waiting).toMatchObject({ isError: true, answer: TOO_NEW });
      for (const tool of ["list_notes", "get_room_state"])
        expect(await running.call(tool)).toMatchObject({ isError: true, answer: TOO_NEW });
      expect(await running.call("add_note", { body: "lost" })).toMatchObject({ isError: true, answer: TOO_NEW });
      for (const words of [["state"], ["notes", "add", "lost"], ["join"]])
        expect(tt(shared, program, "a:1", words)).toMatchObject({ code: 70, answer: TOO_NEW });
      expect(await shared.look()).toEqual(before);
      addNote(shared, damaging.program, "b:1", "by tomorrow again");
    });
  });
});
