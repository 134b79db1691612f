/** The row of a session, and what the shell of its hooks has told since the row was written. */
import { wallMsOf } from "../../core/time.ts";
import type { Session } from "./session.ts";

/** What the shell of a hook told by itself. */
export interface ToldActivity {
  readonly state: "busy" | "idle";
  /** Wall time. */
  readonly since: string;
  /** The harness's name for the turn; null if it has none, or if the shell did not learn it. */
  readonly turn: string | null;
}

/** The newer counts. A session whose hooks are over tells nothing. */
export function withTold(row: Session, told: ToldActivity | null): Session {
  if (!told || !row.hooked) return row;
  const { state, since, turn } = told;
  if (row.activity.since !== null && wallMsOf(since) <= wallMsOf(row.activity.since)) return row;
  return { ...row, activity: { state, since }, turn: turn ?? row.turn };
}
