import { join } from "node:path";
import { describe } from "vitest";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { fakeClock } from "./fake-clock.ts";
import { storeContract } from "./store-contract.ts";

describe("the SQLite store", () => {
  storeContract(async () => {
    const file = join(quickDirectory(), "tt.db");
    const clock = fakeClock();
    const open = () => openSqliteStore({ file, clock, jitter: Math.random });
    return {
      store: await open(),
      again: open,
      sql: async (statement) => {
        const handle = loadSqliteDriver()(file);
        try {
          handle.exec(statement);
        } finally {
          handle.close();
        }
      },
      newerSchema: {
        shared: "PRAGMA user_version = 99; UPDATE oldest_writer SET version = 9",
        theirs: "PRAGMA user_version = 100; UPDATE oldest_writer SET version = 99",
      },
      location: { kind: "sqlite", file },
      markIsOurs: true,
    };
  });
});
