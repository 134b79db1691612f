import type { ProcessRef } from "../../core/process.ts";
import type { SessionCard, SessionName } from "../../session/rules/evidence.ts";

/** What hooks write down about a harness's process: which session it is now. One card per process. */
export interface SessionCards {
  /** Null when there is none that can be read. */
  read(process: ProcessRef): SessionCard | null;
  write(process: ProcessRef, card: SessionCard): void;
  /** The processes whose cards name a session that has not said that it ends. Some of them may be gone. */
  processesOf(session: SessionName): readonly ProcessRef[];
}
