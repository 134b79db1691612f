import { describe, inject } from "vitest";
import { openPostgresBell } from "../../src/store/postgres/bell.ts";
import { bellContract } from "./bell-contract.ts";

const url = inject("postgresUrl");

if (url === null) process.stderr.write("SKIPPED: the contract of the PostgreSQL bell: there is no server\n");

describe.skipIf(url === null)("the PostgreSQL bell", () => {
  bellContract(async () => {
    const schema = `bell_${Math.random().toString(36).slice(2)}`;
    const open = () => openPostgresBell({ url: url as string, schema });
    return { ringer: open(), listener: open() };
  });
});
