/** The files that agents of this machine left in the data directory: bells, flags, signs of life, turns, cards. */
import type { StoredNames } from "./prune-store.ts";

export interface AgentTraces {
  /** Removes those that belong to none of these names and were not touched since; resolves to how many. */
  removeOld(known: StoredNames, sinceWallMs: number): number;
}
