import { describe } from "vitest";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { fakeClock } from "../store-contract/fake-clock.ts";
import { mailboxConformance } from "./conformance.ts";

describe("the mailbox protocol in memory", () => {
  mailboxConformance(async () => {
    const store = openMemoryStore({ clock: fakeClock() });
    return { store, again: async () => store };
  });
});
