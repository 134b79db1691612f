import type { Instant } from "../../core/time.ts";

/** Signs of life that a harness's hooks leave in files, outside the store. */
export interface ActivityLog {
  lastSign(sessionId: string): Instant | null;
}
