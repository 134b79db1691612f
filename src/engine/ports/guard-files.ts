/**
 * The guard's files in the data directory, which the shell of a hook reads without starting a program.
 *
 *   guard/on/<room>                    the room is guarded; the file names its directory
 *   guard/pass/<session>               the session holds the stick of this room in this turn under a name, until this
 *                                      uptime of this boot
 *   guard/over/<room>.<turn>.<holder>  that turn is over for that name, or about to be
 *
 * The mark `over` is made inside the transaction that ends the turn, before it commits. So a shell that sees a pass and
 * then no such mark has seen the holder of that moment. The holder gets another name when its harness changes the session,
 * as after `/clear`. That ends the passes under the former name, which another process may use later; the turn goes on.
 */
import type { AgentId, RoomId } from "../../core/ids.ts";
import type { Instant } from "../../core/time.ts";

export interface GuardedRoom {
  readonly roomId: RoomId;
  readonly path: string;
}

export interface GuardFiles {
  /** From now on every move of a stick leaves its mark, and the shell asks about this room. Throws a Fault. */
  switchOn(room: GuardedRoom): void;
  switchOff(roomId: RoomId): void;
  guardedRooms(): readonly GuardedRoom[];
  /**
   * Throws a Fault if the mark cannot be made: the turn must not end without it. `isGuarded`: by the policy inside the
   * same transaction. If the room is not guarded, and no room of this machine ever was, no pass of the turn can exist,
   * and no mark is made.
   */
  markOver(turn: GuardedTurn, isGuarded: boolean): void;
  /** Lets the shell allow the tools of a holder by itself. If that fails, each tool asks the store. */
  givePass(sessionId: string, pass: Pass): void;
}

export interface GuardedTurn {
  readonly roomId: RoomId;
  readonly turnId: number;
  readonly holder: AgentId;
}

export interface Pass extends GuardedTurn {
  /** When the store said so. The pass is valid for a fixed time from then, however late it is written. */
  readonly readAt: Instant;
  readonly until: Instant;
}

/**
 * Where a write to a path may land: for each such place the directories that may be those of a room, the deepest first.
 * `from`: the directories that a relative path is relative to, each relative to the one before.
 */
export type WritePlaces = (path: string, from: readonly string[]) => Promise<FoundPlaces>;

export interface FoundPlaces {
  readonly above: readonly (readonly string[])[];
  /** Guarded rooms below the path: what is done to it may be done to them. */
  readonly below: readonly string[];
}
