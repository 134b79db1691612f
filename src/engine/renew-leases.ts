/**
 * Every call of a holder's that changes something or waits renews its lease. A call that goes through the holder's room
 * does so by itself; this is for those that go through its mailbox alone. They renew when they begin, and not while they
 * wait: a stream that somebody left open must not hold the stick for ever. Whether the caller holds anything is looked up
 * now and then, and costs a read.
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

/** Often enough that one that is left out costs nothing. */
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

/** When it was last looked up what an agent holds, and when it is worth it again. */
const looked = new WeakMap<Store, Map<AgentId, Looked>>();

/** What the caller is about is worth more than a renewal that fails: its next call tries again. */
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
  // Whoever acts for a harness that is gone, or for a session that has ended, keeps nothing alive.
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
