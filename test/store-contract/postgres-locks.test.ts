/** A change that takes several locks takes them in one order: the room, the project's handles, mailboxes by name. */
import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { MailWorld } from "./mail-world.ts";

const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: the order of locks on PostgreSQL: there is no server\n");

const HANDLES = "SELECT pg_advisory_xact_lock(hashtextextended('talking-stick handles of /tree', 0))";

async function worldOnServer() {
  const schema = `locks_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server as string, { max: 2, onnotice: () => undefined, connection: { search_path: schema } });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  const open = async () => ({ store: await openPostgresStore({ url: server as string, schema }) });
  const world = await MailWorld.open(open);
  /** Until another transaction waits for what this one holds. */
  const untilAnotherWaits = async (sql: postgres.TransactionSql) => {
    const [own] = await sql`SELECT pg_backend_pid() AS pid`;
    const blocked = () => admin`SELECT 1 FROM pg_stat_activity WHERE ${own?.["pid"]} = ANY(pg_blocking_pids(pid))`;
    while ((await blocked()).length === 0) continue;
  };
  return { world, admin, untilAnotherWaits };
}

describe.skipIf(server === null)("on PostgreSQL", () => {
  test("a send that joins waits for the handles before it locks a mailbox", async () => {
    const { world, admin, untilAnotherWaits } = await worldOnServer();
    await world.join("a:1", "b:2");
    await world.send("a:1", "b:2", "so that both have a mailbox");
    const sending = await admin.begin(async (sql) => {
      await sql.unsafe(HANDLES);
      const sent = world.send("c:3", "b:2", "hello");
      await untilAnotherWaits(sql);
      await sql`SELECT 1 FROM mailboxes WHERE agent_id = 'b:2' FOR UPDATE NOWAIT`;
      return { sent };
    });
    await sending.sent;
    expect(await world.read("b:2")).toEqual(["so that both have a mailbox", "hello"]);
  });

  test.each([
    ["z:old", "a:new"],
    ["a:old", "z:new"],
  ])("a merge of %s into %s locks mailboxes by their names", async (former, present) => {
    const { world, admin, untilAnotherWaits } = await worldOnServer();
    await world.join(former, present, "m:1");
    for (const to of [former, present]) await world.send("m:1", to, `to ${to}`);
    world.remember(present, former);
    const [first = "", last = ""] = [former, present].toSorted();
    const merging = await admin.begin(async (sql) => {
      await sql`SELECT 1 FROM mailboxes WHERE agent_id = ${first} FOR UPDATE`;
      const joined = world.join(present);
      await untilAnotherWaits(sql);
      await sql`SELECT 1 FROM mailboxes WHERE agent_id = ${last} FOR UPDATE NOWAIT`;
      return { joined };
    });
    await merging.joined;
    expect(await world.read(present)).toEqual([`to ${former}`, `to ${present}`]);
  });
});
