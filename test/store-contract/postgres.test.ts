import { describe, inject } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { ownSchema } from "../support/own-schema.ts";
import { onServer } from "./on-server.ts";
import { storeContract } from "./store-contract.ts";

const url = inject("postgresUrl");

if (url === null) process.stderr.write("SKIPPED: the contract of the PostgreSQL store: there is no server\n");

describe.skipIf(url === null)("the PostgreSQL store", () => {
  storeContract(() => {
    const own = ownSchema(url as string, "test");
    return onServer(own, own.url, () => openPostgresStore({ url: own.url, schema: own.schema }));
  });
});
