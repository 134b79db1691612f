/**
 * P6. A store that has grown for years is pruned by the built program: what is gone is gone from tables, files and the
 * disk, what must stay is there, and before and after that lists stay short.
 */
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { expect, inject, onTestFinished } from "vitest";
import { fileNameFor } from "../../src/core/file-name.ts";
import type { SqliteHandle } from "../../src/store/sqlite/driver.ts";
import { CliWorld } from "../cli/support/cli-world.ts";
import { openHandle } from "../store/sqlite/sqlite-file.ts";
import { deadAgent, deadSession, grow, OLD_ROOM } from "./fixtures/grown-store.ts";
import { figure, verifies } from "./verifies.ts";

const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: P6 on PostgreSQL: there is no server\n");

const AGENTS = figure(5000, 50_000);
const GROWTH = { events: figure(200_000, 2_000_000), messages: figure(50_000, 500_000), agents: AGENTS };
const LONGEST_ANSWER_BYTES = 16_000;

/** The tables, and what is left in each of them after the pruning. */
const LEFT: Readonly<Record<string, number>> = {
  // The handoff of the old room; in the other room one joined, and all the dead left.
  events: 2 + AGENTS,
  // The newest number of all, and so the mailbox and the handle of its recipient.
  deliveries: 1,
  mailboxes: 1,
  handles: 2,
  members: 1,
  sessions: 2,
  sent: GROWTH.messages,
  rooms: 2,
};

/** What a test can do with a database, whichever it is. */
interface Grown {
  readonly world: CliWorld;
  readonly env: Readonly<Record<string, string>>;
  readonly sql: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

async function lives({ world, env, sql }: Grown): Promise<void> {
  const run = (words: string) => world.done(`${words} --json`, { as: "a:1", env });
  await run("join");
  for (const statement of grow(GROWTH)) await sql(statement);
  leaveFiles(world);
  for (const words of ["join", "state"]) {
    const shown = await run(words);
    expect(shown.stdout.length, words).toBeLessThan(LONGEST_ANSWER_BYTES);
    expect(shown.json(), words).toMatchObject({ members_not_listed: AGENTS - 20 });
  }
  const findings = (await run("doctor")).json()["findings"] as readonly object[];
  expect(findings.length).toBeLessThan(30);

  const pruned = (await run("prune --yes")).json();
  expect(pruned["rooms"]).toMatchObject([{ room_id: OLD_ROOM, pruned: true }]);
  const last = { deliveries: 1, events: 1, mailboxes: 1, handles: 1, sessions: 1 };
  expect(pruned["removed"]).toMatchObject({
    events: GROWTH.events - last.events,
    deliveries: GROWTH.messages - last.deliveries,
    members: AGENTS,
    mailboxes: AGENTS - last.mailboxes,
    handles: AGENTS - last.handles,
    sessions: AGENTS - last.sessions,
  });
  expect(pruned["locked_ms"]).toBeGreaterThan(0);
  await whatIsLeft({ world, env, sql });
  expect((await run("prune --yes")).json()).toMatchObject({ rooms: [], removed: {} });
  expect((await world.done("prune --yes", { as: "a:1", env })).stdout).toBe("There was nothing to delete.\n");
  expect((await run("state")).json()).not.toHaveProperty("members_not_listed");
}

async function whatIsLeft({ sql }: Grown): Promise<void> {
  const counts = Object.keys(LEFT).map(async (table) => {
    const [row] = await sql(`SELECT count(*) AS rows FROM ${table}`);
    return [table, Number(row?.["rows"])] as const;
  });
  expect(Object.fromEntries(await Promise.all(counts))).toEqual(LEFT);
  const [room] = await sql(`SELECT turn_id, handoff_seq FROM rooms WHERE room_id = '${OLD_ROOM}'`);
  expect([Number(room?.["turn_id"]), Number(room?.["handoff_seq"])]).toEqual([7, GROWTH.events]);
}

/** What the hooks and commands of all the dead left behind, long ago. */
function leaveFiles({ data }: CliWorld): void {
  for (let number = 1; number <= AGENTS; number += 1) {
    const [agent, session] = [deadAgent(number), deadSession(number)];
    const files = [
      join("bell", fileNameFor("agent", agent)),
      join("flags", session),
      join("activity", session),
      join("agents", fileNameFor("turn", `${agent} ${OLD_ROOM}`)),
    ];
    for (const path of files.map((file) => join(data, file)).filter((file) => existsSync(dirname(file)))) {
      writeFileSync(path, "1 1\nan-old-boot\n", { mode: 0o600 });
      utimesSync(path, 1_577_836_800, 1_577_836_800);
    }
  }
}

function filesIn({ data }: CliWorld): number {
  const directories = ["bell", "flags", "activity", "agents"].map((name) => join(data, name)).filter(existsSync);
  return directories.flatMap((directory) => readdirSync(directory)).length;
}

verifies("P6", "on SQLite, with the files and the pages", async () => {
  const world = new CliWorld();
  let handle: SqliteHandle | null = null;
  const sql: Grown["sql"] = async (text) => {
    handle ??= openHandle(world.database);
    return handle.prepare(text).all();
  };
  const sizes: number[] = [];
  const measured: Grown["sql"] = async (text) => {
    sizes.push(statSync(world.database).size);
    return sql(text);
  };
  await lives({ world, env: {}, sql: measured });
  expect(Math.max(...sizes)).toBeGreaterThan(GROWTH.events * 200);
  // The digests of what was sent are most of what is left.
  expect(statSync(world.database).size).toBeLessThan(Math.max(...sizes) / 4);
  expect(filesIn(world)).toBeLessThan(20);
});

verifies("P6", "on PostgreSQL, with the files", async () => {
  if (server === null) return;
  const name = `grown_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const inside = postgres(url.href, { max: 1, connection: { search_path: "talking_stick" } });
  onTestFinished(async () => {
    await inside.end({ timeout: 0 });
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  const world = new CliWorld();
  await lives({ world, env: { TT_STORE: url.href }, sql: (text) => inside.unsafe(text) });
  expect(filesIn(world)).toBeLessThan(20);
});
