import { describe, inject, onTestFinished } from "vitest";
import { openPostgresBell } from "../../src/store/postgres/bell.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { bellContract } from "./bell-contract.ts";

const url = inject("postgresUrl");

if (url === null) process.stderr.write("SKIPPED: the contract of the PostgreSQL bell: there is no server\n");

describe.skipIf(url === null)("the PostgreSQL bell", () => {
  bellContract(async () => {
    const schema = `bell_${Math.random().toString(36).slice(2)}`;
    const database = new Database({ url: url as string, schema, budgetMs: 10_000, maxConnections: 1 });
    onTestFinished(() => database.close());
    return { ringer: openPostgresBell(database), listener: openPostgresBell(database) };
  });
});
