import { join } from "node:path";
import { describe } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { fakeClock } from "../store-contract/fake-clock.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { mailboxConformance } from "./conformance.ts";

describe("the mailbox protocol on SQLite", () => {
  mailboxConformance(async () => {
    const file = join(quickDirectory(), "tt.db");
    const open = () => openSqliteStore({ file, clock: fakeClock(), jitter: Math.random });
    return { store: await open(), again: open };
  });
});
