/** Looking into a mailbox, and emptying it. A look derives what time has done and writes nothing. */
import type { AgentId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { attemptOf, type Delivery, isLive, settled } from "../../domain/mail/delivery.ts";
import { settleMail } from "../../domain/mail/take.ts";
import type { Moment } from "../../domain/time.ts";
import type { MailWindow } from "../../ports/mail-store.ts";
import type { Deps } from "../deps.ts";
import { changeMailbox } from "../mail/change-mailbox.ts";
import { purgeDeadLetters, purgeMailbox } from "../mail/dead-letters.ts";
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

type LookAfter = (seq: number) => MailWindow;
const LIVE: LookAfter = (seq) => ({ kind: "live", limit: PAGE, after: seq });
const DEAD: LookAfter = (seq) => ({ kind: "dead_letters_after", limit: PAGE, seq });

/** Every message that has not ended, oldest first. */
export async function peek(deps: Deps, owner: AgentId): Promise<readonly PeekedMessage[]> {
  const shown: PeekedMessage[] = [];
  for await (const { deliveries, moment } of pages(deps, owner, LIVE)) {
    for (const { delivery, message } of await mailboxMessages(deps, deliveries.filter(isLive), moment))
      shown.push({ ...message, state: mailboxState(delivery, moment) });
  }
  return shown;
}

/** Every dead letter, oldest first; also one whose last attempt ran out without anybody noticing yet. */
export async function peekDeadLetters(deps: Deps, owner: AgentId): Promise<readonly DeadMessage[]> {
  const shown = new Map<number, DeadMessage>();
  for (const look of [LIVE, DEAD]) {
    for await (const { deliveries, moment } of pages(deps, owner, look)) {
      const dead = deliveries.filter(({ state }) => state === "dead_letter");
      for (const { delivery, message } of await mailboxMessages(deps, dead, moment))
        shown.set(delivery.seq, deadMessage(delivery, message));
    }
  }
  return [...shown].toSorted(([a], [b]) => a - b).map(([, message]) => message);
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

async function* pages(deps: Deps, owner: AgentId, lookAfter: LookAfter): AsyncGenerator<Page> {
  for (let after = 0; ; ) {
    const { window, moment } = await deps.store.readMailbox(owner, lookAfter(after));
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
  await settleAll(deps, owner);
  await purgeDeadLetters(deps, mailboxCaller(owner));
}

/** Writes down what time has done, so that nothing becomes a dead letter right after they were let go. */
async function settleAll(deps: Deps, owner: AgentId): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    after = await changeMailbox<number | undefined>(deps, mailboxCaller(owner), LIVE(after), (window, given) => ({
      mail: settleMail(window, given).mail,
      answer: window.deliveries.at(-1)?.seq,
    }));
  }
}
