/** What a server says about itself, asked by a role without any right beyond its own schema. */
import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";

const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: what a PostgreSQL server says about itself: there is none\n");

const addressFor = (role: string, database: string) => {
  const url = new URL(server as string);
  [url.username, url.password, url.pathname] = [role, "secret", database];
  return url.href;
};

/** A role that owns one database, and nothing else. */
async function ordinaryRole() {
  const name = `sight_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server as string, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
  await admin.unsafe(`CREATE DATABASE ${name} OWNER ${name}`);
  onTestFinished(async () => {
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.unsafe(`DROP ROLE ${name}`);
    await admin.end();
  });
  return { name, admin, url: addressFor(name, name) };
}

async function storeOf(url: string) {
  const store = await openPostgresStore({ url });
  onTestFinished(() => store.close());
  return store;
}

describe.skipIf(server === null)("on PostgreSQL", () => {
  test("an ordinary role sees its own connections, and no superuser", async () => {
    const { name, url } = await ordinaryRole();
    const store = await storeOf(url);
    const seen = await store.lookAtServer?.();
    expect(seen).toMatchObject({
      version: expect.stringMatching(/^\d+/),
      role: { name, isSuperuser: false },
      isEncrypted: false,
      settings: { fsync: expect.stringMatching(/^o/), autovacuum: "on" },
      replicas: 0,
      oldestTransaction: null,
    });
    expect(seen?.connections.ours).toBeGreaterThan(0);
    expect(seen?.connections.used).toBeGreaterThanOrEqual(seen?.connections.ours ?? 0);
    expect(seen?.size.bytes).toBeGreaterThan(0);
  });

  test("a transaction of the role that stays open is seen, with its program and its age", async () => {
    const { url } = await ordinaryRole();
    const store = await storeOf(url);
    const other = postgres(url, { max: 1, connection: { application_name: "a report" } });
    await other.begin(async (sql) => {
      const [own] = await sql`SELECT pg_backend_pid() AS pid`;
      const seen = await store.lookAtServer?.();
      expect(seen?.oldestTransaction).toMatchObject({ pid: own?.["pid"], program: "a report" });
      expect(seen?.oldestTransaction?.ageMs).toBeGreaterThanOrEqual(0);
    });
    await other.end();
  });
});
