/**
 * Tells the callers of this server, with their next answer, of a stick or a place that they lost. A call that is about
 * no room covers the rooms that its caller was in through this server. Two numbers of the membership show what a caller
 * still has. While they stay the same, a call costs no more than a read of the room.
 */

import type { AgentId, RoomId } from "../../core/ids.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { TurnEnd } from "../../stick/rules/turn-end.ts";

import { asLeft, type LossMemory, rememberTold, untoldLoss } from "../../stick/untold-loss.ts";

/** How many rooms of one caller, and how many callers of one server, are remembered. */
const MOST = 64;

export interface Lost {
  readonly roomId: RoomId;
  readonly end: TurnEnd;
}

export class LossTeller {
  readonly #memory: () => LossMemory;
  readonly #seen = new Map<AgentId, Map<RoomId, string>>();

  constructor(memory: () => LossMemory) {
    this.#memory = memory;
  }

  async look(deps: Deps, caller: Caller, found: Room): Promise<Lost | null> {
    const room = asLeft(deps, found);
    const seen = this.#seenBy(caller);
    const mark = markOf(room, caller);
    if (mark !== null && seen.get(room.id) === mark) return null;
    const end = await untoldLoss(deps, this.#memory(), caller, room);
    if (seen.size >= MOST) seen.clear();
    seen.set(room.id, end === null && mark !== null ? mark : "");
    return end && { roomId: room.id, end };
  }

  /** For a call that is about no room. */
  async lookAround(deps: Deps, caller: Caller): Promise<Lost | null> {
    // A copy: looks change what was seen.
    const seen = new Map(this.#seenBy(caller));
    for (const roomId of seen.keys()) {
      const snapshot = await ignoringFaults(() => deps.store.readRoom(roomId));
      const lost = snapshot && (await this.look(deps, caller, snapshot.room));
      if (lost) return lost;
    }
    return null;
  }

  /** The answer that told of it has left the process. */
  told(
    caller: Caller,
    { roomId, end }: { readonly roomId: RoomId; readonly end: Parameters<typeof rememberTold>[3] },
  ): void {
    rememberTold(this.#memory(), caller, roomId, end);
  }

  forgetAll(): void {
    this.#seen.clear();
  }

  #seenBy({ agentId }: Caller): Map<RoomId, string> {
    const known = this.#seen.get(agentId);
    if (known) return known;
    if (this.#seen.size >= MOST) this.#seen.clear();
    const seen = new Map<RoomId, string>();
    this.#seen.set(agentId, seen);
    return seen;
  }
}

/** Null if the caller is not a member. */
function markOf({ state }: Room, { agentId }: Caller): string | null {
  const member = state.members.get(agentId);
  return member ? `${member.joinedSeq} ${member.heldSeq}` : null;
}
