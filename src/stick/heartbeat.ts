/** Renewing the lease of a held turn: once, when the holder asks for it, or in time for as long as the holder is active. */
import type { AgentId, RoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { elapsedMs } from "../core/time.ts";
import { changeRoom } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { type Held, operation } from "../engine/operation.ts";
import { renewalMs } from "../engine/renew-leases.ts";
import { type Look, SLOW_LOOK_MS, waitUntil } from "../engine/wait-until.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { heartbeat as decideHeartbeat } from "./rules/heartbeat.ts";
import { withTurnEnd } from "./turn-ends.ts";

export const heartbeat = operation({
  name: "heartbeat",
  summary: "Renews the lease of the turn you hold. Other calls renew it, too.",
  needs: { store: "change", caller: "known", room: "existing", token: true },
  input: {},
  refusals: ["room_closed", "turn_mismatch", "stale_lease"],
  mcp: "gateway",
  run: ({ deps, caller, roomId, token }) => renewLease(deps, { caller, roomId, token }),
});

/** A turn with its proof. */
export interface OwnTurn {
  readonly caller: Caller;
  readonly roomId: RoomId;
  readonly token: Held;
}

async function renewLease(deps: Deps, { caller, roomId, token }: OwnTurn) {
  const answer = await changeRoom(deps, caller, { roomId }, ({ room }, given) => decideHeartbeat(room, given, token), {
    expectsEvents: false,
  });
  return withTurnEnd(deps, caller, { roomId, ...token }, answer);
}

/** A change of the policy, or a loss whose ring was not heard, is noticed within this time. */
const LOOK_MS = 10_000;

interface KeepLease {
  /** Asked at every look: the holder may have another name by now. */
  readonly turn: () => OwnTurn;
  /** Whether the holder gave a sign of life within this time. */
  readonly isActive: (withinMs: number) => boolean;
  readonly cancel: AbortSignal;
  /** The bell that tells of a loss at once; without it, a loss is noticed a little later. */
  readonly name?: AgentId;
}

/**
 * Renews a lease in time, but only while its holder is active: an abandoned program must not hold without end. Resolves
 * to the reason when the turn is lost, and to null when cancelled. No fault of the store ends it: a server that fails
 * over may be read-only for a while.
 */
export async function keepLease(deps: Deps, { turn, isActive, cancel, name }: KeepLease): Promise<Refusal | null> {
  let renewedAt = deps.clock.now().instant;
  const look = async (): Promise<Look<Refusal>> => {
    const own = turn();
    const room = (await deps.store.readRoom(own.roomId))?.room;
    const now = deps.clock.now().instant;
    const everyMs = room ? renewalMs(room) : LOOK_MS;
    if (room && isHeld(room, own)) {
      const leftMs = everyMs - elapsedMs(renewedAt, now);
      if (leftMs > 0) return { changesInMs: leftMs };
      if (!isActive(room.policy.ownerIdleMs)) return {};
    }
    if (cancel.aborted) return {};
    const answer = await renewLease(deps, own);
    if (isRefusal(answer)) return { found: answer };
    renewedAt = now;
    return { changesInMs: everyMs };
  };
  const ended = await waitUntil<Refusal>(deps, {
    ...(name !== undefined && { name }),
    cancel,
    keepsAlive: false,
    everyMs: LOOK_MS,
    look: async () => (await ignoringFaults(look)) ?? { changesInMs: SLOW_LOOK_MS },
  });
  return "found" in ended ? ended.found : null;
}

/** By the turn, since the holder may have another name by now. */
function isHeld({ state }: Room, { token }: OwnTurn): boolean {
  return state.owner !== null && state.turnId === token.expectedTurnId;
}
