/**
 * Every call of a holder that changes something or waits renews its lease. A call that goes through the holder's room
 * does so by itself; this is for calls that use only its mailbox. They renew when they begin, and not while they wait:
 * a forgotten open stream must not hold the stick without end. Looking up whether the caller holds a stick costs a
 * read, so that happens only now and then.
 */

import { Fault } from "../core/fault.ts";
import type { AgentId } from "../core/ids.ts";
import { elapsedMs, type Instant } from "../core/time.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { renew } from "../stick/rules/heartbeat.ts";
import { changeRoom } from "./commit.ts";
import type { Deps } from "./deps.ts";
import { ownNames } from "./evidence.ts";
import { isOrphaned } from "./is-orphaned.ts";
import type { Store } from "./ports/store.ts";
import { refuseLeftover } from "./refuse-leftover.ts";

/** Often enough that one missed renewal costs nothing. */
const RENEWALS_PER_LEASE = 3;
const SHORTEST_MS = 1000;

/** After which time the holder of a room's stick renews its lease again. */
export function renewalMs({ policy }: Pick<Room, "policy">): number {
  return Math.max(SHORTEST_MS, policy.leaseTtlMs / RENEWALS_PER_LEASE);
}

interface Looked {
  readonly at: Instant;
  readonly nextInMs: number;
}

/** When each agent's leases were last looked up, and when to look again. */
const looked = new WeakMap<Store, Map<AgentId, Looked>>();

/** A failed renewal does not fail the call: the next call tries again. */
export async function renewLeases(deps: Deps, caller: Caller): Promise<void> {
  try {
    await renewWhatIsHeld(deps, caller);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

async function renewWhatIsHeld(deps: Deps, caller: Caller): Promise<void> {
  const agents = looked.get(deps.store) ?? new Map<AgentId, Looked>();
  looked.set(deps.store, agents);
  const at = deps.clock.now().instant;
  const last = agents.get(caller.agentId);
  if (last && elapsedMs(last.at, at) < last.nextInMs) return;
  // A process whose harness is gone, or whose session has ended, renews nothing.
  const isOver = isOrphaned(deps, caller) || refuseLeftover(deps, caller) !== null;
  const held = isOver ? [] : await heldBy(deps, caller);
  for (const { id: roomId } of held) {
    await changeRoom(deps, caller, { roomId }, ({ room }, given) => renew(room, given), { expectsEvents: false });
  }
  agents.set(caller.agentId, { at, nextInMs: held.length === 0 ? SHORTEST_MS : Math.min(...held.map(renewalMs)) });
}

async function heldBy({ store }: Deps, caller: Caller): Promise<readonly Room[]> {
  const names: readonly (AgentId | null)[] = ownNames(caller);
  const { rooms } = await store.readRooms({ agentId: caller.agentId });
  return rooms.filter(({ state }) => names.includes(state.owner));
}
