/** The row of a session, and what the shell of its hooks has told since the row was written. */
import type { Session } from "./session.ts";

/** What the shell of a hook told by itself. It is newer than the row. */
export interface ToldActivity {
  readonly state: "busy" | "idle";
  /** Wall time. */
  readonly since: string;
  /** The harness's name for the turn; null if it has none, or if the shell did not learn it. */
  readonly turn: string | null;
}

/** A session whose hooks are over tells nothing. */
export function withTold(row: Session, told: ToldActivity | undefined): Session {
  if (!told || !row.hooked) return row;
  const { state, since, turn } = told;
  return { ...row, activity: { state, since }, turn: turn ?? row.turn };
}
