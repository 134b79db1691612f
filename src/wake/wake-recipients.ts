/**
 * After a send: wakes its recipients, all at once, within a short time of its own. The message is in the log already
 * and its delivery depends on nothing here, so whatever goes wrong becomes a status.
 */

import type { DeliveryReceipt, WillBeSeen } from "../core/mail-records.ts";
import type { Deps } from "../engine/deps.ts";
import type { SentMessage } from "../engine/ports/wake.ts";
import { unwoken, type WakeStatus, type WokenReceipt } from "../mail/rules/wake-status.ts";
import { climb, type Progress } from "./climb.ts";

/** The rungs keep to the budget by themselves; the rest is for a store that answers slowly. */
const BUDGET_MS = 1400;
const LONGEST_MS = 1500;

/** The same ports, and what wakes by them. */
export function withWakes(deps: Deps): Deps {
  return { ...deps, wakeRecipients };
}

async function wakeRecipients(
  deps: Deps,
  { sender, sent, roomId, forMs: limitMs = LONGEST_MS }: SentMessage,
): Promise<readonly WokenReceipt[]> {
  const { waking } = deps;
  // An ask that does not wait for its reply may still wake.
  const forMs = limitMs || LONGEST_MS;
  const asleep = sent.deliveries.filter((receipt) => receipt.willBeSeen !== "now");
  if (!waking || asleep.length === 0) return sent.deliveries.map(unwoken);
  const time = timeLimit(Math.min(forMs, LONGEST_MS));
  try {
    const known = Promise.all([deps.store.readDeliveries([sent.messageId]), deps.store.readRoom(roomId)]);
    const statuses = asleep.map(async ({ to }) => {
      const progress: Progress = { steps: [], acts: false, isOver: false };
      const request = { owner: to, sender: sender.agentId };
      const work = async (): Promise<WakeStatus> => {
        const [deliveries, snapshot] = await known;
        const seq = deliveries.find(({ recipient }) => recipient === to)?.seq;
        if (seq === undefined || !snapshot) return "skipped_no_target";
        return climb(
          deps,
          waking,
          { ...request, seq, project: snapshot.room.project },
          Math.min(forMs, BUDGET_MS),
          progress,
        );
      };
      const status = await Promise.race([orCutShort(work(), progress), time.isUp.then(() => cutShort(progress))]);
      deps.trace?.wake({ agentId: to, by: "sender", messageId: sent.messageId, steps: progress.steps, status });
      return [to, status] as const;
    });
    const byName = new Map(await Promise.all(statuses));
    return sent.deliveries.map((receipt) => woken(receipt, byName.get(receipt.to) ?? "receiver_live"));
  } finally {
    time.clear();
  }
}

async function orCutShort(work: Promise<WakeStatus>, progress: Progress): Promise<WakeStatus> {
  try {
    return await work;
  } catch (error) {
    progress.steps.push(error instanceof Error ? error.message : String(error));
    return cutShort(progress);
  }
}

/** The status of a climb that did not end in time. Nothing is begun after this. */
function cutShort(progress: Progress): WakeStatus {
  progress.isOver = true;
  return progress.acts ? "fired_unconfirmed" : "skipped_no_target";
}

function timeLimit(ms: number) {
  let timer: NodeJS.Timeout | undefined;
  const isUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { isUp, clear: () => clearTimeout(timer) };
}

/** Hooks certainly show the message then; a wake proves no more than that. */
const SHOWN_BY_HOOKS: readonly WillBeSeen[] = ["next_tool_call", "turn_end"];

/** After a wake with a sign of life, the recipient sees the message by that wake, unless its hooks show it anyway. */
function woken(receipt: DeliveryReceipt, wakeStatus: WakeStatus): WokenReceipt {
  const { willBeSeen } = receipt;
  if (willBeSeen === "now") return unwoken(receipt);
  const when: WillBeSeen = wakeStatus === "fired" && !SHOWN_BY_HOOKS.includes(willBeSeen) ? "on_wake" : willBeSeen;
  return { ...receipt, willBeSeen: when, wakeStatus };
}
