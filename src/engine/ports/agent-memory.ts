/** What an agent's commands remember from one to the next. All of it can be lost without harm. */

import type { AgentId, LeaseId, RoomId } from "../../core/ids.ts";
import type { ToldLoss } from "../../hooks/rules/told-loss.ts";

/** The turn and lease that the holder's next command needs. */
export interface RememberedTurn {
  readonly turnId: number;
  readonly leaseId: LeaseId;
}

/** `formerId` is the name a session had before its session id became known; what was stored under it still counts. */
export interface Rememberer {
  readonly agentId: AgentId;
  readonly formerId?: AgentId | null;
}

export interface AgentMemory {
  recallTurn(who: Rememberer, roomId: RoomId): RememberedTurn | null;
  rememberTurn(who: Rememberer, roomId: RoomId, turn: RememberedTurn): void;
  forgetTurn(who: Rememberer, roomId: RoomId): void;
  /** The last seq that was heard; null when nothing was yet. */
  recallCursor(who: Rememberer, roomId: RoomId): number | null;
  /** The turn of which its holder was last told that it still holds the stick. */
  recallReminder(who: Rememberer, roomId: RoomId): number | null;
  rememberReminder(who: Rememberer, roomId: RoomId, turnId: number): void;
  rememberCursor(who: Rememberer, roomId: RoomId, seq: number): void;
  /** What it was told last of a stick, or a place, that it lost, in each room. */
  recallLosses(who: Rememberer): ReadonlyMap<RoomId, ToldLoss>;
  /** Replaces all of it. If it cannot be written, the agent is told again. */
  rememberLosses(who: Rememberer, losses: ReadonlyMap<RoomId, ToldLoss>): void;
}
