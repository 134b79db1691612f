import { describe } from "vitest";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { fakeClock } from "./fake-clock.ts";
import { storeContract } from "./store-contract.ts";

describe("the memory store", () => {
  storeContract(async () => {
    const store = openMemoryStore({ clock: fakeClock() });
    return { store, again: async () => store, markIsOurs: true };
  });
});
