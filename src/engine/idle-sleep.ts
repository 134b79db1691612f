/**
 * Sleeping on while nothing has happened. Fifty who wait wake every two seconds, as long as a dead holder may stay
 * unfound, and mostly find the room as it was. That costs a look at three things: the store's mark, the clock, and the
 * few processes on which the turn depends. Only when one of them says that something may have happened, or when time
 * will have changed something by itself, does the waiter look at the room with care.
 *
 * What else time brings, such as another's wait running out, is in no hurry and found by the careful look that is made
 * twice a minute all the same.
 */

import { elapsedMs } from "../core/time.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Deps } from "./deps.ts";
import { ownNames } from "./evidence.ts";
import { unlessPassing } from "./ignore-transient-fault.ts";
import type { Subscription, WakeReason } from "./ports/bell.ts";
import { SLOW_LOOK_MS } from "./sleep.ts";

const CAREFUL_LOOK_EVERY_MS = 30_000;

/** Resolves when the bell rang, when another careful look is due within `forMs`, or when aborted. */
export async function sleepWhileStill(
  deps: Deps,
  bell: Subscription,
  {
    caller,
    room,
    mark,
    forMs,
    signal,
  }: {
    readonly caller: Caller;
    /** As last looked at with care, and the store's mark from just before. */
    readonly room: Room;
    readonly mark: string;
    readonly forMs: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<WakeReason> {
  const { instant: since, suspendedMs } = deps.clock.now();
  const limitMs = Math.min(forMs, CAREFUL_LOOK_EVERY_MS);
  const decisive = processesThatDecide(room, caller);
  for (let leftMs = limitMs; leftMs > 0; ) {
    const woken = await bell.next(Math.min(leftMs, SLOW_LOOK_MS), signal);
    if (woken !== "timeout") return woken;
    if ((await unlessPassing(deps.store.changeMark())) !== mark) break;
    const now = deps.clock.now();
    if (now.suspendedMs !== suspendedMs) break;
    if (decisive.some((process) => deps.probe.verdict(process) === "gone")) break;
    leftMs = limitMs - elapsedMs(since, now.instant);
  }
  return "timeout";
}

/** Of those whose death changes whose turn it is, and of the caller's own harness. */
function processesThatDecide(room: Room, caller: Caller) {
  const { owner, reservation } = room.state;
  const agents = [owner, reservation?.agentId ?? null, ...ownNames(caller)];
  const known = agents.flatMap((agentId) => (agentId === null ? [] : (room.presence.get(agentId)?.process ?? [])));
  // The room may know the session by another process, in which it was resumed.
  return caller.process ? [...known, caller.process] : known;
}
