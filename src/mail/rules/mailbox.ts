/**
 * The head of a mailbox: how many deliveries it has in each state, who is receiving, and how fast its owner has been
 * sending. The deliveries themselves are loaded a window at a time, because a mailbox may hold very many.
 *
 *   sent = pending + in_flight + acked + dead_letter + expired, after every step
 */

import type { AgentId } from "../../core/ids.ts";
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryCounts,
  type Receiver,
  type StoredMailbox,
} from "../../core/mail-records.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import { isShown } from "./delivery.ts";

export function emptyMailbox(agentId: AgentId): StoredMailbox {
  const counts = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0])) as DeliveryCounts;
  return {
    agentId,
    counts,
    shown: 0,
    announcedSeq: 0,
    wokenSeq: 0,
    wakeWantedSeq: 0,
    wakeOutcome: null,
    wakeClaim: null,
    receivers: [],
    allowance: null,
  };
}

export function unread({ counts, shown }: StoredMailbox): number {
  return counts.pending + counts.in_flight - shown;
}

/** The counts after a delivery changed its state. For a new delivery, `before` is null. */
export function counted(box: StoredMailbox, before: Delivery | null, now: Delivery): StoredMailbox {
  const shown = box.shown + (isShown(now) ? 1 : 0) - (before && isShown(before) ? 1 : 0);
  if (before?.state === now.state) return shown === box.shown ? box : { ...box, shown };
  const counts = { ...box.counts, [now.state]: box.counts[now.state] + 1 };
  if (before) counts[before.state] -= 1;
  return { ...box, counts, shown };
}

/**
 * Two mailboxes of one session become one. For announcements, wake requests and wakes, the one that got further counts.
 */
export function mergedMailbox(own: StoredMailbox, former: StoredMailbox): StoredMailbox {
  const counts = Object.fromEntries(
    DELIVERY_STATES.map((state) => [state, own.counts[state] + former.counts[state]]),
  ) as DeliveryCounts;
  const { wokenSeq, wakeOutcome, wakeClaim } = former.wokenSeq > own.wokenSeq ? former : own;
  return {
    ...own,
    counts,
    shown: own.shown + former.shown,
    announcedSeq: Math.max(own.announcedSeq, former.announcedSeq),
    wakeWantedSeq: Math.max(own.wakeWantedSeq, former.wakeWantedSeq),
    wokenSeq,
    wakeOutcome,
    wakeClaim,
    receivers: [...own.receivers, ...former.receivers],
  };
}

export function withReceiver(
  box: StoredMailbox,
  receiver: Receiver,
  isOver: (other: Receiver) => boolean,
): StoredMailbox {
  const others = box.receivers.filter((other) => !isSameProcess(other, receiver.process) && !isOver(other));
  return { ...box, receivers: [...others, receiver] };
}

export function withoutReceiver(box: StoredMailbox, process: ProcessRef): StoredMailbox {
  const receivers = box.receivers.filter((other) => !isSameProcess(other, process));
  return receivers.length === box.receivers.length ? box : { ...box, receivers };
}

function isSameProcess(receiver: Receiver, process: ProcessRef): boolean {
  return processKey(receiver.process) === processKey(process);
}
