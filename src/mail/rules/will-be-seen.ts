/** When a recipient will see its mail, from proven facts alone: that it was there lately proves nothing. */

import type { Ask, Delivery, Receiver, StoredMailbox, WillBeSeen } from "../../core/mail-records.ts";
import type { ProcessRef } from "../../core/process.ts";
import { hasPassed } from "../../core/time.ts";
import { alivenessIn } from "../../room/rules/liveness.ts";
import type { Room } from "../../room/rules/room.ts";
import { isRunning, isSuspended, type Sight, verdictOf } from "../../session/rules/aliveness.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { isReplyTo, isWaitedFor } from "./ask.ts";

export function willBeSeen(rooms: readonly Room[], box: StoredMailbox, given: Given): WillBeSeen {
  const { agentId } = box;
  const waits = rooms.some((room) => alivenessIn(room, agentId, given).isShownMail);
  if (waits || box.receivers.some((receiver) => shows(receiver, given))) return "now";
  if (given.evidence.hookedAndBusy?.has(agentId)) return "next_tool_call";
  const homes = rooms.filter((room) => room.state.members.has(agentId));
  const gone =
    homes.length === 0
      ? given.evidence.away?.has(agentId) === true
      : homes.every((room) => alivenessIn(room, agentId, given).isGone);
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
export function isReceiving({ process, harness, until }: Receiver, sight: Sight): boolean {
  if (hasPassed(until, sight.moment.instant) || !isRunning(process, sight)) return false;
  return harness === undefined || (verdictOf(harness, sight) !== "gone" && !isSuspended(harness, sight));
}

/** On whose life it turns whether these receive. */
export function processesOfReceivers(receivers: readonly Receiver[]): readonly ProcessRef[] {
  return receivers.flatMap(({ process, harness }) => (harness ? [process, harness] : [process]));
}
