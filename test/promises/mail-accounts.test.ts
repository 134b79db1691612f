/**
 * M1, M2. Random lives of a few mailboxes, the same kind on every store: after every step the counters equal the
 * deliveries, and the deliveries are what a small reference says. A failure is shrunk to the shortest life that fails.
 */
import { join } from "node:path";
import fc from "fast-check";
import postgres from "postgres";
import { describe, expect, inject, onTestFinished } from "vitest";
import type { Store } from "../../src/engine/ports/store.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { accepted } from "../support/service-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
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

async function live(runs: number, openStore: () => Store | Promise<Store>): Promise<ReadonlySet<string>> {
  const happened = new Set<string>();
  let number = 0;
  const setup = async () => {
    const office = await Office.open(await openStore(), `${(number += 1)}`, POLICY, AGENTS);
    const mail = new ReferenceMail(TERMS);
    const model: Memory = {
      mail,
      remembering: new Set(),
      members: new Set(AGENTS),
      sends: [],
      held: [],
      sent: 0,
      happened,
    };
    return { model, real: office };
  };
  const property = fc.asyncProperty(steps(STEPS), async (commands) => fc.asyncModelRun(setup, commands));
  await fc.assert(property, { numRuns: runs, seed: freshSeed() });
  return happened;
}

/** Two connections to the same data, closed when the test is over. */
async function sqliteStores(): Promise<readonly [Store, Store]> {
  const file = join(quickDirectory(), "tt.db");
  const open = () => openSqliteStore({ file, clock, jitter: Math.random });
  return closedAfterwards([await open(), await open()]);
}

async function postgresStores(url: string): Promise<readonly [Store, Store]> {
  const schema = `mail_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  return closedAfterwards([await openPostgresStore({ url, schema }), await openPostgresStore({ url, schema })]);
}

function closedAfterwards(stores: readonly [Store, Store]): readonly [Store, Store] {
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return stores;
}

/** Both at once through two connections, over and over: one of them counts, and the other one is told so. */
async function race([here, there]: readonly [Store, Store]): Promise<void> {
  for (let round = 0; round < figure(20, 2500); round += 1) {
    const office = await Office.open(here, `race-${round}`, { ...POLICY, baseBackoffMs: 0 }, ["ann", "bob"]);
    const again = office.through(there);
    const input = { roomId: office.roomId, to: office.idOf("bob"), body: "once", msgId: "the-same" };
    const [one, other] = await Promise.all([office.as("ann").sendMessage(input), again.as("ann").sendMessage(input)]);
    const { messageId } = accepted(one);
    expect(accepted(other).messageId).toBe(messageId);

    const taken = await Promise.all([office, again].map((door) => door.as("bob").takeMessages({ ack: "manual" })));
    expect(taken.map((some) => accepted(some).answer.count).toSorted((a, b) => a - b)).toEqual([0, 1]);
    accepted(await office.as("bob").nackMessage({ messageId, attempt: 1, reason: "again" }));
    await office.as("bob").takeMessages({ ack: "manual" });
    const [late, right] = await Promise.all([
      again.as("bob").ackMessage({ messageId, attempt: 1 }),
      office.as("bob").ackMessage({ messageId, attempt: 2 }),
    ]);
    expect(late).toMatchObject({ error: "attempt_stale" });
    expect(right).toMatchObject({ attempt: 2, state: "acked", repeated: false });
    expect(await again.as("bob").ackMessage({ messageId, attempt: 2 })).toMatchObject({ repeated: true });
    expect((await office.mailbox("bob")).counts).toMatchObject({ acked: 1, pending: 0, in_flight: 0 });
  }
}

verifies("M1", "in memory, every mailbox is what the reference says after every step", async () => {
  const happened = await live(figure(1700, 85_000), () => openMemoryStore({ clock }));
  expect(OUTCOMES.filter((outcome) => !happened.has(outcome))).toEqual([]);
});

verifies("M1", "on SQLite, every mailbox is what the reference says after every step", async () => {
  const [store] = await sqliteStores();
  await live(figure(200, 10_000), () => store);
});

verifies("M2", "in memory, one of two sends and one of two acks counts", () => {
  const store = openMemoryStore({ clock });
  return race([store, store]);
});

verifies("M2", "on SQLite, one of two sends and one of two acks counts", async () => race(await sqliteStores()));

describe.skipIf(server === null)("on PostgreSQL", () => {
  verifies("M2", "one of two sends and one of two acks counts", async () =>
    race(await postgresStores(server as string)),
  );

  verifies("M1", "every mailbox is what the reference says after every step", async () => {
    const [store] = await postgresStores(server as string);
    await live(figure(100, 5000), () => store);
  });
});
