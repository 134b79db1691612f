import { describe, inject } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { ownSchema } from "../support/own-schema.ts";
import { onServer } from "./on-server.ts";
import { storeContract } from "./store-contract.ts";

const url = inject("postgresUrl");

if (url === null) process.stderr.write("SKIPPED: the contract of the PostgreSQL store: there is no server\n");

/** A test repeats few statements so often that they would be prepared by themselves. */
const ways = [
  ["", {}],
  [" with prepared statements", { preparedFromRun: 1 }],
] as const;

describe.skipIf(url === null).each(ways)("the PostgreSQL store%s", (_, options) => {
  storeContract(() => {
    const own = ownSchema(url as string, "test");
    return onServer(own, own.url, () => openPostgresStore({ ...options, url: own.url, schema: own.schema }));
  });
});
