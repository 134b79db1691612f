/** Migrations of another build beside changes and reads of this one, on PostgreSQL. */
import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { begin } from "../../src/room/rules/change.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { StoreWorld } from "./store-world.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: upgrades of the PostgreSQL store: there is no server\n");

async function openWorld() {
  const url = server as string;
  const schema = `upgrade_${Math.random().toString(36).slice(2)}`;
  const open = () => openPostgresStore({ url, schema });
  const admin = postgres(url, { max: 1, onnotice: () => undefined, connection: { search_path: schema } });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  const world = await StoreWorld.open(async () => ({ store: await open(), again: open, markIsOurs: false }));
  await world.join("claude:1");
  return { world, admin };
}

describe.skipIf(server === null)("on PostgreSQL", () => {
  test("statements that were prepared before a migration go on after it", async () => {
    const { world, admin } = await openWorld();
    await world.join("codex:2");
    await world.store.readEvents(world.roomId, 0, 10);
    await admin.unsafe(`ALTER TABLE rooms ALTER COLUMN turn_id TYPE integer;
      ALTER TABLE events ALTER COLUMN turn_id TYPE integer, ADD COLUMN later text;
      ALTER TABLE mailboxes ADD COLUMN later text DEFAULT 'x'`);
    await world.join("gemini:3");
    expect(await world.store.readEvents(world.roomId, 0, 10)).toHaveLength(3);
  });

  test("a migration waits for a change that is under way, and the next change is refused", async () => {
    const { world, admin } = await openWorld();
    let migrated: Promise<unknown> | undefined;
    const changed = await world.store.change({ roomId: world.roomId }, ({ room }) => {
      // The change has begun and is not committed yet.
      migrated ??= admin.begin(async (sql) => {
        await sql`LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE`;
        await sql`UPDATE schema_version SET version = 99, oldest_writer = 99`;
        return sql`SELECT turn_head FROM rooms`;
      });
      return { change: begin({ ...room, state: { ...room.state, turnHead: "before" } }), answer: true };
    });
    expect(changed).not.toBeNull();
    expect(await migrated).toMatchObject([{ turn_head: "before" }]);
    await expect(world.join("codex:2")).rejects.toMatchObject({ code: "store_too_new" });
  });
});
