import { describe } from "vitest";
import { openMemoryBell } from "../../src/store/memory/bell.ts";
import { bellContract } from "./bell-contract.ts";

describe("the memory bell", () => {
  bellContract(async () => {
    const bell = openMemoryBell();
    return { ringer: bell, listener: bell };
  });
});
