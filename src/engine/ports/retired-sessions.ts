import type { SessionName } from "../../session/rules/evidence.ts";
import type { Retirement } from "../../session/rules/retirement.ts";

/** The sessions of this machine that their harness has said are over. */
export interface RetiredSessions {
  read(session: SessionName): Retirement | null;
  retire(session: SessionName, retirement: Retirement): void;
  revive(session: SessionName): void;
}
