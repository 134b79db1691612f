import { describe } from "vitest";
import { openMemoryBell } from "../../src/store/memory/store.ts";
import { bellContract } from "./bell-contract.ts";

describe("the memory bell", () => {
  bellContract(async () => {
    const bell = openMemoryBell();
    return { ringer: bell, listener: bell };
  });
});
