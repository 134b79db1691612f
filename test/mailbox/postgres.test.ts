import postgres from "postgres";
import { describe, inject, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { mailboxConformance } from "./conformance.ts";

const url = inject("postgresUrl");

if (url === null) process.stderr.write("SKIPPED: the mailbox protocol on PostgreSQL: there is no server\n");

describe.skipIf(url === null)("the mailbox protocol on PostgreSQL", () => {
  mailboxConformance(async () => {
    const server = url as string;
    const schema = `test_${Math.random().toString(36).slice(2)}`;
    onTestFinished(async () => {
      const admin = postgres(server, { max: 1, onnotice: () => undefined });
      await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await admin.end();
    });
    const open = () => openPostgresStore({ url: server, schema });
    return { store: await open(), again: open };
  });
});
