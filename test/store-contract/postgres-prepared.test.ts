/** A test repeats few statements so often that they would be prepared by themselves. Here each one is, the first time. */
import { describe, inject } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { ownSchema } from "../support/own-schema.ts";
import { onServer } from "./on-server.ts";
import { storeContract } from "./store-contract.ts";

const url = inject("postgresUrl");

if (url === null) process.stderr.write("SKIPPED: the contract with prepared statements: there is no server\n");

describe.skipIf(url === null)("the PostgreSQL store with prepared statements", () => {
  storeContract(() => {
    const own = ownSchema(url as string, "prepared");
    return onServer(own, own.url, () => openPostgresStore({ url: own.url, schema: own.schema, preparedFromRun: 1 }));
  });
});
