import postgres from "postgres";
import { describe, inject, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { storeContract } from "./store-contract.ts";

const url = inject("postgresUrl");

if (url === null) process.stderr.write("SKIPPED: the contract of the PostgreSQL store: there is no server\n");

/** A test repeats few statements so often that they would be prepared by themselves. */
const ways = [
  ["", {}],
  [" with prepared statements", { preparedFromRun: 1 }],
] as const;

describe.skipIf(url === null).each(ways)("the PostgreSQL store%s", (_, options) => {
  storeContract(async () => {
    const server = url as string;
    const schema = `test_${Math.random().toString(36).slice(2)}`;
    const open = () => openPostgresStore({ url: server, schema, ...options });
    const admin = postgres(server, { max: 1, onnotice: () => undefined, connection: { search_path: schema } });
    onTestFinished(async () => {
      await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await admin.end();
    });
    return {
      store: await open(),
      again: open,
      sql: async (statement) => {
        await admin.unsafe(statement);
      },
      newerSchema: {
        shared: "UPDATE schema_version SET version = 99, oldest_writer = 9",
        theirs: "UPDATE schema_version SET version = 99, oldest_writer = 99",
      },
      location: { kind: "postgres", url: server, schema },
      // Every other test on the server moves it too.
      markIsOurs: false,
    };
  });
});
