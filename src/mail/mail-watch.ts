/**
 * A waiter's view of its mailbox: how much is unread, and whether there is mail that no wait has told of yet. While
 * the store's mark stays the same and nothing in the mailbox is due, a look reads nothing; it never writes.
 */

import type { AgentId, EventId } from "../core/ids.ts";
import type { Delivery } from "../core/mail-records.ts";
import { elapsedMs, hasPassed, type Instant, type Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor, withVerdicts } from "../engine/evidence.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import { SLOW_LOOK_MS } from "../engine/wait-until.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { announce } from "./change-mailbox.ts";
import { type MailPage, readLive } from "./mailbox-reads.ts";
import { isReplyTo, isWaitedFor } from "./rules/ask.ts";
import { isLive, isUnread, settled } from "./rules/delivery.ts";
import { unread } from "./rules/mailbox.ts";
import { ableToGo, type MailboxWindow } from "./rules/take.ts";

export interface MailSight {
  readonly unread: number;
  /** There is mail that can be read, and of which no wait has told its owner. */
  readonly hasNews: boolean;
  /** When time alone, or the death of a process, may change it. */
  readonly changesInMs: number;
}

interface Known extends MailSight {
  readonly mark: string;
  readonly at: Instant;
  readonly newestSeq: number;
}

export class MailWatch {
  readonly #deps: Deps;
  readonly #caller: Caller;
  #known: Known | null = null;

  constructor(deps: Deps, caller: Caller) {
    this.#deps = deps;
    this.#caller = caller;
  }

  /** `just`: a look at the store that was made just before, whose mark and moment serve here too. */
  async look(just?: RoomSnapshot): Promise<MailSight> {
    const { clock, store } = this.#deps;
    // The mark before the mailbox: a commit in between shows as a difference next time.
    const mark = just?.mark ?? (await store.changeMark());
    const at = (just?.moment ?? clock.now()).instant;
    const known = this.#known?.mark === mark ? this.#known : null;
    const leftMs = known ? known.changesInMs - elapsedMs(known.at, at) : 0;
    if (known && leftMs > 0) return { ...known, changesInMs: leftMs };
    const { window, moment, newestSeq } = await this.#read();
    const over = window.deliveries.filter((delivery) => isOver(delivery, moment)).length;
    this.#known = {
      mark,
      at,
      unread: unread(window.box) - over,
      hasNews: this.#hasNews(window, moment),
      changesInMs: Math.min(msToNextDue(window, moment), this.#msToProbe(window)),
      newestSeq,
    };
    return this.#known;
  }

  /**
   * As much of the mailbox as the judgement needs, however much is in it: what has expired, which is the oldest mail; the
   * oldest of each sender, which may hold the others back; and what no wait has told of, until there is news in it.
   */
  async #read(): Promise<MailPage & { readonly newestSeq: number }> {
    const { agentId } = this.#caller;
    const oldest = await readLive(this.#deps, agentId, { isEnough: hasUnexpired });
    if (oldest.isAll) return { ...oldest, newestSeq: newestIn(oldest) };
    const heads = await this.#deps.store.readMailbox(agentId, { kind: "lanes", perSender: 1, from: null });
    const known = [...oldest.window.deliveries, ...heads.window.deliveries];
    const hasNews = (page: MailPage) => this.#hasNews(withThem(page, known).window, page.moment);
    const from = oldest.window.box.announcedSeq;
    const untold = await readLive(this.#deps, agentId, { from, isEnough: hasNews });
    return { ...withThem(untold, known), newestSeq: newestIn(untold) };
  }

  /** Remembers that the owner has been told of all that the last look saw. */
  async announce(): Promise<void> {
    await announce(this.#deps, this.#caller, this.#known?.newestSeq ?? 0);
  }

  /** While a reply is left to an ask, its process may die at any time, of which the store does not tell. */
  #msToProbe({ asks, deliveries }: MailboxWindow): number {
    const isLeft = (delivery: Delivery) => asks.some((ask) => isReplyTo(ask, delivery));
    return deliveries.some(isLeft) ? SLOW_LOOK_MS : Number.POSITIVE_INFINITY;
  }

  /** Mail that cannot be read yet is news only when it can. */
  #hasNews(window: MailboxWindow, moment: Moment): boolean {
    const askers = window.asks.map(({ caller }) => caller);
    const given = givenFor(this.#deps, this.#caller, moment, withVerdicts(this.#deps, NO_EVIDENCE, askers));
    return ableToGo(window, given).some(({ seq }) => seq > window.box.announcedSeq);
  }
}

/** It was unread, and has expired since the mailbox was last changed. */
const isOver = (delivery: Delivery, moment: Moment) => isUnread(delivery) && !isUnread(settled(delivery, moment));

const hasUnexpired = ({ window, moment }: MailPage) => !window.deliveries.every((delivery) => isOver(delivery, moment));

const newestIn = ({ window }: MailPage) => window.deliveries.at(-1)?.seq ?? 0;

function withThem({ window, moment }: MailPage, others: readonly Delivery[]): MailPage {
  const bySeq = new Map([...others, ...window.deliveries].map((delivery) => [delivery.seq, delivery]));
  const deliveries = [...bySeq.values()].toSorted((one, other) => one.seq - other.seq);
  return { window: { ...window, deliveries }, moment };
}

/** Of a delivery as time has made it: one whose reader died has got another time to come again. */
function msToNextDue({ deliveries, asks }: MailboxWindow, moment: Moment): number {
  const { instant } = moment;
  const live = deliveries.map((delivery) => settled(delivery, moment)).filter(isLive);
  const deadlines = [...live.flatMap(({ due, expires }) => [due, expires]), ...asks.map(({ until }) => until)];
  const ahead = deadlines.filter((due) => due !== null && !hasPassed(due, instant));
  return ahead.reduce((soonest, due) => Math.min(soonest, (due?.ms ?? 0) - instant.ms), Number.POSITIVE_INFINITY);
}

/** A question whose asker waits for the answer now. */
export interface Question {
  readonly messageId: EventId;
  readonly from: AgentId;
  readonly isRead: boolean;
}

export interface MailAtAGlance {
  readonly unread: number;
  readonly asked: readonly Question[];
}

/** What is unread for the caller, and who waits for its answer. A read. */
export async function mailAtAGlance(deps: Deps, caller: Caller | null): Promise<MailAtAGlance> {
  if (!caller) return { unread: 0, asked: [] };
  const seen = await new MailWatch(deps, caller).look();
  return { unread: seen.unread, asked: await questionsFor(deps, caller) };
}

async function questionsFor(deps: Deps, caller: Caller): Promise<readonly Question[]> {
  const me = await deps.store.resolveAlias(caller.agentId);
  const asks = (await deps.store.readWaitingAsks()).filter(({ peer }) => peer === me);
  const look = { kind: "messages", ids: asks.map(({ requestId }) => requestId) } as const;
  const { window, moment } = await deps.store.readMailbox(me, look);
  const evidence = withVerdicts(
    deps,
    NO_EVIDENCE,
    asks.map(({ caller: process }) => process),
  );
  const given = givenFor(deps, caller, moment, evidence);
  return asks
    .filter((ask) => isWaitedFor(ask, given))
    .map(({ requestId, asker }) => {
      const delivery = window.deliveries.findLast(({ messageId }) => messageId === requestId);
      return { messageId: requestId, from: asker, isRead: delivery !== undefined && !isUnread(delivery) };
    });
}
