/**
 * Membership: joining, being seen, leaving, being removed.
 *
 * An agent joins by an explicit join (which also reopens a closed room), or implicitly by a changing call or a wait.
 * Reads never join. If a holder leaves or is removed, the stick becomes free: it goes to the next in the queue, and the
 * handoff that granted the turn stays attached for the next holder.
 */

import { mayBeCalled } from "../../core/agent-id.ts";
import { type AgentId, asHandle, type Handle } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { ProcessRef } from "../../core/process.ts";
import { after, wallTime } from "../../core/time.ts";
import { verdictOf } from "../../session/rules/aliveness.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { Presence } from "../../session/rules/session.ts";
import { type Change, record, withRoom } from "./change.ts";
import { alivenessIn } from "./liveness.ts";
import { nextInQueue } from "./queue.ts";
import { type Room, withEntry, withoutEntry } from "./room.ts";
import { claimDeadlineFor } from "./settle.ts";

/** A handle in use in the project; `live` while its agent is a member of any room there. */
export interface TakenHandle {
  readonly handle: Handle;
  readonly agentId: AgentId;
  readonly live: boolean;
}

/** Called only when an agent needs a handle, because it reads the whole project. */
export type TakenHandles = () => readonly TakenHandle[];

/** The agent's own handle if it still has one, else the harness's name with the first free number. */
export function chooseHandle(agentId: AgentId, harness: string, taken: readonly TakenHandle[]): Handle {
  const own = taken.find((entry) => entry.agentId === agentId);
  if (own) return own.handle;
  const inUse = new Set(taken.filter((entry) => entry.live).map((entry) => entry.handle));
  const name = harness
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const base = name !== "" && mayBeCalled(agentId, name) ? name : "agent";
  for (let number = 1; ; number += 1) {
    const handle = asHandle(number === 1 ? base : `${base}-${number}`);
    if (!inUse.has(handle)) return handle;
  }
}

/**
 * Records that the caller was seen. The caller joins if it is not a member. A return after a long absence, or after it
 * had left, is recorded. If it holds the stick, its lease is renewed.
 */
export function showUp(change: Change, given: Given, handles: TakenHandles): Change {
  const { room } = change;
  const { agentId, harness } = given.caller;
  const known = isMember(room, agentId);
  // A registered wait counts as presence: a waiter writes nothing while it sleeps, and it must not lose its place for
  // that.
  const { wait, absentMs } = alivenessIn(room, agentId, given);
  const returned = known && wait === null && absentMs > room.policy.presenceTtlMs;
  const handle = room.presence.get(agentId)?.handle ?? chooseHandle(agentId, harness, handles());
  const joined =
    known && !returned
      ? change
      : record(
          change,
          given,
          "member_joined",
          { reason: returned || given.hasBeenHere?.() ? "returned" : "first", harness, handle },
          { from: agentId },
        );
  return renewLease(seen(joined, given, handle), given);
}

/** Like `showUp`, for a holder. A holder is always a member, so it needs no handle. */
export function holderShowsUp(change: Change, given: Given): Change {
  invariant(isMember(change.room, given.caller.agentId), "a holder is a member");
  return showUp(change, given, () => []);
}

function seen(change: Change, given: Given, handle: Handle): Change {
  const { caller, moment } = given;
  const known = change.room.presence.get(caller.agentId);
  const presence: Presence = {
    agentId: caller.agentId,
    handle,
    lastSeen: moment.instant,
    lastSeenAt: wallTime(moment.wallMs),
    process: processOfSession(caller.process, known, given),
    sessionId: caller.sessionId ?? known?.sessionId ?? null,
    tmuxPane: caller.tmuxPane ?? known?.tmuxPane ?? null,
  };
  return withRoom(change, { presence: withEntry(change.room.presence, caller.agentId, presence) });
}

/**
 * A call that names no process still proves that its agent lives, so it replaces a process that is gone. A call whose
 * own process is gone began earlier: it does not replace a known process that may live.
 */
function processOfSession(own: ProcessRef | null, known: Presence | undefined, given: Given): ProcessRef | null {
  const before = known?.process ?? null;
  const beforeIsGone = verdictOf(before, given) === "gone";
  if (own === null) return beforeIsGone ? null : before;
  return known && verdictOf(own, given) === "gone" && !beforeIsGone ? before : own;
}

function renewLease(change: Change, given: Given): Change {
  const { lease, state, policy } = change.room;
  if (!lease || state.owner !== given.caller.agentId) return change;
  const deadline = after(given.moment.instant, policy.leaseTtlMs);
  return withRoom(change, { lease: { ...lease, deadline } });
}

export function isMember(room: Room, agentId: AgentId): boolean {
  return room.state.members.has(agentId);
}

/** What a departure does to the stick. Call this before the member is removed. */
export function departureOf(room: Room, given: Given, agentId: AgentId) {
  const wasOwner = room.state.owner === agentId;
  const wasReservedFor = room.state.reservation?.agentId === agentId;
  const reservedFor = wasOwner || wasReservedFor ? nextInQueue(room, given, agentId) : null;
  return { wasOwner, wasReservedFor, reservedFor };
}

/** After `agentId` departed, clears its data that is not in the log. */
export function clearDeparted(
  change: Change,
  given: Given,
  agentId: AgentId,
  departure: ReturnType<typeof departureOf>,
): Change {
  const { room } = change;
  const cleared = withRoom(change, {
    presence: withoutEntry(room.presence, agentId),
    waits: withoutEntry(room.waits, agentId),
    cooldown: room.cooldown?.agentId === agentId ? null : room.cooldown,
  });
  if (!departure.wasOwner && !departure.wasReservedFor) return cleared;
  return withRoom(cleared, { lease: null, claimDeadline: claimDeadlineFor(room, given, departure.reservedFor) });
}
