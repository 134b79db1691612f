/**
 * A waiter's view of its mailbox: how much is unread, and whether there is mail that no wait has announced yet. While
 * the store's mark stays the same and nothing in the mailbox is due, a look reads nothing. A look never writes.
 */

import type { AgentId, EventId, Handle } from "../core/ids.ts";
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
  /** There is mail that can be read, and that no wait has announced to its owner. */
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

  /** `just`: the result of a read just before. Its mark and moment are used here, too. */
  async look(just?: RoomSnapshot): Promise<MailSight> {
    const { clock, store } = this.#deps;
    // Read the mark before the mailbox: a commit in between then shows as a difference next time.
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
   * Reads only the parts of the mailbox that the judgement needs, however much mail there is. These are the expired
   * mail, which is the oldest; the oldest mail of each sender, which may hold the rest back; and mail that no wait has
   * announced, up to the first news.
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

  /** Records that the owner was told of all mail that the last look saw. */
  async announce(): Promise<void> {
    await announce(this.#deps, this.#caller, this.#known?.newestSeq ?? 0);
  }

  /** While a reply is left to an ask, the process of the ask may die at any time, and the store does not show that. */
  #msToProbe({ asks, deliveries }: MailboxWindow): number {
    const isLeft = (delivery: Delivery) => asks.some((ask) => isReplyTo(ask, delivery));
    return deliveries.some(isLeft) ? SLOW_LOOK_MS : Number.POSITIVE_INFINITY;
  }

  /** Mail that cannot be read yet becomes news when it can be read. */
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

/** Uses the deliveries as time has changed them: if a reader died, its delivery has another due time now. */
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
  readonly fromHandle: Handle | null;
  readonly isRead: boolean;
}

export interface MailAtAGlance {
  readonly unread: number;
  readonly asked: readonly Question[];
}

/** How much is unread for the caller, and which agents wait for its answer. Reads only. */
export async function mailAtAGlance(deps: Deps, caller: Caller | null): Promise<MailAtAGlance> {
  if (!caller) return { unread: 0, asked: [] };
  const seen = await new MailWatch(deps, caller).look();
  return { unread: seen.unread, asked: await questionsTo(deps, caller) };
}

/** The questions whose askers wait for the caller now, of all rooms. Reads only. */
export async function questionsTo(deps: Deps, caller: Caller): Promise<readonly Question[]> {
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
      const fromHandle = delivery?.fromHandle ?? null;
      return { messageId: requestId, from: asker, fromHandle, isRead: delivery !== undefined && !isUnread(delivery) };
    });
}
