/**
 * M1, M2. Random lives of a few mailboxes, the same kind on every store: after every step the counters equal the
 * deliveries, and the deliveries are what a small reference says. A failure is shrunk to the shortest life that fails.
 */
import { join } from "node:path";
import fc from "fast-check";
import postgres from "postgres";
import { describe, expect, inject, onTestFinished } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { Office } from "./mail-model/office.ts";
import { ReferenceMail } from "./mail-model/reference.ts";
import { AGENTS, type Memory, OUTCOMES, steps } from "./mail-model/steps.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const TERMS = { maxRetries: 1, backoffMs: 5000, inflightMs: 30_000, ttlMs: 7_200_000 };
const POLICY = {
  maxRetries: TERMS.maxRetries,
  baseBackoffMs: TERMS.backoffMs,
  inflightTimeoutMs: TERMS.inflightMs,
  messageTtlMs: TERMS.ttlMs,
};
const STEPS = 60;
const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: M1 on PostgreSQL: there is no server\n");

const clock = { now: () => ({ instant: { epoch: "unused", ms: 0 }, suspendedMs: 0, wallMs: 0 }) };

async function live(runs: number, openStore: () => Store | Promise<Store>): Promise<void> {
  const happened = new Set<string>();
  let number = 0;
  const setup = async () => {
    const office = await Office.open(await openStore(), `${(number += 1)}`, POLICY, AGENTS);
    const mail = new ReferenceMail(TERMS);
    const model: Memory = {
      ...{ mail, remembering: new Set(), members: new Set(AGENTS), sends: [], held: [], sent: 0, happened },
    };
    return { model, real: office };
  };
  const property = fc.asyncProperty(steps(STEPS), async (commands) => fc.asyncModelRun(setup, commands));
  await fc.assert(property, { numRuns: runs, seed: freshSeed() });
  expect(OUTCOMES.filter((outcome) => !happened.has(outcome))).toEqual([]);
}

async function sqliteStore(): Promise<Store> {
  const store = await openSqliteStore({ file: join(quickDirectory(), "tt.db"), clock, jitter: () => 0.5 });
  onTestFinished(() => store.close());
  return store;
}

async function postgresStore(url: string): Promise<Store> {
  const schema = `mail_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  const store = await openPostgresStore({ url, schema });
  onTestFinished(async () => {
    await store.close();
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  return store;
}

verifies("M1", "in memory, every mailbox is what the reference says after every step", () =>
  live(figure(1400, 70_000), () => openMemoryStore({ clock })),
);

verifies("M1", "on SQLite, every mailbox is what the reference says after every step", async () => {
  const store = await sqliteStore();
  await live(figure(400, 20_000), () => store);
});

describe.skipIf(server === null)("on PostgreSQL", () => {
  verifies("M1", "every mailbox is what the reference says after every step", async () => {
    const store = await postgresStore(server as string);
    await live(figure(200, 10_000), () => store);
  });
});
