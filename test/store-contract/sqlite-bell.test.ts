import { join } from "node:path";
import { describe } from "vitest";
import { openFileBell } from "../../src/store/sqlite/bell.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { bellContract } from "./bell-contract.ts";
import { fakeClock } from "./fake-clock.ts";

describe("the bell of files", () => {
  bellContract(async () => {
    const directory = join(temporaryDirectory(), "bell");
    const open = () => openFileBell({ directory, clock: fakeClock() });
    return { ringer: open(), listener: open() };
  });
});
