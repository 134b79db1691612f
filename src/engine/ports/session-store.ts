/** The part of the store that keeps what is known about sessions. */
import type { Session, SessionKey } from "../../session/rules/session.ts";

export interface SessionStore {
  /**
   * Replaces one session's row by what `change` makes of it; null is a session without a row. When nothing differs,
   * nothing is written. `change` may run more than once and must be pure. Resolves to whether anything was written.
   */
  changeSession(key: SessionKey, change: (known: Session | null) => Session): Promise<boolean>;

  /** The rows of a project, by the present names of their sessions. */
  readSessions(project: string): Promise<readonly Session[]>;

  /** The rows of one session in all projects, by the id that its harness gave it. */
  findSessions(sessionId: string): Promise<readonly Session[]>;
}
