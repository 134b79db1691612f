/** What a process needs that keeps its store in memory. */
import type { Bell } from "../../engine/ports/bell.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";
import { openMemoryBell } from "./bell.ts";
import { openMemoryStore } from "./store.ts";

export function openMemory(options: { readonly clock: Clock }): { readonly store: Store; readonly bell: Bell } {
  return { store: openMemoryStore(options), bell: openMemoryBell() };
}
