/** When a recipient will see its mail, from proven facts alone: that it was there lately proves nothing. */

import type { Ask, Delivery, Receiver, StoredMailbox, WillBeSeen } from "../../core/mail-records.ts";
import type { ProcessRef } from "../../core/process.ts";
import { hasPassed } from "../../core/time.ts";
import { callIsOver, isPersistentlyGone, isSuspended, liveWait, verdictOf } from "../../room/rules/liveness.ts";
import type { Room, Wait } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { isReplyTo, isWaitedFor } from "./ask.ts";

export function willBeSeen(rooms: readonly Room[], box: StoredMailbox, given: Given): WillBeSeen {
  const { agentId } = box;
  const waits = rooms.some((room) => {
    const wait = liveWait(room, agentId, given);
    return wait !== null && wait.seesMail && isInCall(room, wait, given);
  });
  if (waits || box.receivers.some((receiver) => shows(receiver, given))) return "now";
  if (given.evidence.hookedAndBusy?.has(agentId)) return "next_tool_call";
  const homes = rooms.filter((room) => room.state.members.has(agentId));
  const gone =
    homes.length === 0
      ? given.evidence.away?.has(agentId) === true
      : homes.every((room) => isPersistentlyGone(room, agentId, given));
  return gone ? "when_it_returns" : "unknown";
}

/** It is the reply that an asker is waiting for now. */
export function isAwaitedNow(delivery: Delivery, asks: readonly Ask[], given: Given): boolean {
  return asks.some((ask) => isReplyTo(ask, delivery) && isWaitedFor(ask, given) && isRunning(ask.caller, given));
}

/** Whether it would show a message of the caller's. */
function shows(receiver: Receiver, given: Given): boolean {
  return (receiver.from ?? given.caller.agentId) === given.caller.agentId && isReceiving(receiver, given);
}

/** A receiver whose harness is gone or suspended shows its mail to nobody. */
export function isReceiving({ process, harness, until }: Receiver, given: Given): boolean {
  if (hasPassed(until, given.moment.instant) || !isRunning(process, given)) return false;
  return harness === undefined || (verdictOf(harness, given) !== "gone" && !isSuspended(harness, given));
}

function isRunning(process: ProcessRef | null, given: Given): boolean {
  return verdictOf(process, given) === "alive" && !isSuspended(process, given);
}

/** On whose life it turns whether these receive. */
export function processesOfReceivers(receivers: readonly Receiver[]): readonly ProcessRef[] {
  return receivers.flatMap(({ process, harness }) => (harness ? [process, harness] : [process]));
}

/** A wait outlives its call by the room's grace; only while the call lasts does it show anything to anybody. */
function isInCall(room: Room, wait: Wait, given: Given): boolean {
  const harness = room.presence.get(wait.agentId)?.process ?? null;
  return isRunning(wait.caller, given) && !isSuspended(harness, given) && !callIsOver(room, wait, given);
}
