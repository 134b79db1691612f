/** Looking into a mailbox, and emptying it. A look derives what time has done and writes nothing. */

import type { AgentId } from "../../core/ids.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Delivery } from "../../core/mail-records.ts";
import type { Moment } from "../../core/time.ts";
import type { Deps } from "../../engine/deps.ts";
import { purgeDeadLetters, purgeMailbox } from "../dead-letters.ts";
import { attemptOf, isLive, settled } from "../rules/delivery.ts";
import { mailboxCaller } from "./caller.ts";
import { type MailboxMessage, type MailboxState, mailboxMessages, mailboxState, secondsOf } from "./mailbox-message.ts";

export interface PeekedMessage extends MailboxMessage {
  readonly state: MailboxState;
}

export interface DeadMessage extends MailboxMessage {
  readonly reason: string;
  readonly failedAtSecs: number;
  /** How many were made. */
  readonly attempts: number;
}

const PAGE = LIMITS.deadLettersPerRead;

/** Every message that has not ended, oldest first. */
export async function peek(deps: Deps, owner: AgentId): Promise<readonly PeekedMessage[]> {
  const shown: PeekedMessage[] = [];
  for await (const { deliveries, moment } of pages(deps, owner, "live")) {
    for (const { delivery, message } of await mailboxMessages(deps, deliveries.filter(isLive), moment))
      shown.push({ ...message, state: mailboxState(delivery, moment) });
  }
  return shown;
}

/** Every dead letter, oldest first; also one whose last attempt has expired and no process has recorded it yet. */
export async function peekDeadLetters(deps: Deps, owner: AgentId): Promise<readonly DeadMessage[]> {
  const shown: DeadMessage[] = [];
  for await (const { deliveries, moment } of pages(deps, owner, "dead_letters")) {
    const dead = deliveries.filter(({ state }) => state === "dead_letter");
    for (const { delivery, message } of await mailboxMessages(deps, dead, moment))
      shown.push(deadMessage(delivery, message));
  }
  return shown;
}

function deadMessage(delivery: Delivery, message: MailboxMessage): DeadMessage {
  return {
    ...message,
    reason: delivery.reason ?? "",
    failedAtSecs: secondsOf(delivery.endedAt ?? delivery.expiresAt),
    attempts: attemptOf(delivery),
  };
}

interface Page {
  /** As time has made them. */
  readonly deliveries: readonly Delivery[];
  readonly moment: Moment;
}

async function* pages(deps: Deps, owner: AgentId, kind: "live" | "dead_letters"): AsyncGenerator<Page> {
  for (let after = 0; ; ) {
    const { window, moment } = await deps.store.readMailbox(owner, { kind, limit: PAGE, after });
    const last = window.deliveries.at(-1);
    if (!last) return;
    yield { deliveries: window.deliveries.map((delivery) => settled(delivery, moment)), moment };
    after = last.seq;
  }
}

/** Everything that has not ended ends as expired. */
export async function purge(deps: Deps, owner: AgentId): Promise<void> {
  await purgeMailbox(deps, mailboxCaller(owner));
}

export async function purgeDead(deps: Deps, owner: AgentId): Promise<void> {
  await purgeDeadLetters(deps, mailboxCaller(owner));
}
