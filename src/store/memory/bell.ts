import type { Bell } from "../../engine/ports/bell.ts";
import { SubscriptionBook } from "../subscriptions.ts";

/** Rings cannot be missed within one process; the slow look is only what the port asks for. */
const LOOK_EVERY_MS = 2000;

export function openMemoryBell(): Bell {
  const book = new SubscriptionBook();
  return {
    ring: async (agents) => book.ring(agents),
    subscribe: async (to) => book.subscribe(to, LOOK_EVERY_MS),
    close: async () => book.close(),
  };
}
