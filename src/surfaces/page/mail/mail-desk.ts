/**
 * The person's mail on this page. It is taken only while the page is there to show it, and acknowledged only once it was on
 * the screen; a view says what it has shown. What is taken and not shown in time goes back into the mailbox.
 *
 *   waits ──look──▶ held, unseen ──seen──▶ acknowledged
 *     ▲                  └──its time in flight has passed──┘ comes again; if it was seen meanwhile, it is acknowledged then
 */
import type { EventId } from "../../../core/ids.ts";
import type { ReceivedMessage } from "../../../mail/rules/message.ts";
import { wordsOfError } from "../kit/use-answer.ts";
import { type PageSource, RefusedError } from "../source.ts";

/** Few at a time, so that all of them fit on a screen while they are in flight. */
const AT_ONCE = 4;
/** A page that is open for days keeps no more of what it has shown. */
const MOST_HELD = 100;
const MOST_SEEN = 5000;
/** Mail may be there that cannot be taken yet, such as mail that another reader gave back. */
const AGAIN_MS = [2000, 10_000, 60_000];

export interface MailState {
  /** What this page was given, the newest first. */
  readonly held: readonly ReceivedMessage[];
  /** Of these, what was not on the screen yet. */
  readonly unseen: ReadonlySet<EventId>;
  /** Why mail could not be taken or acknowledged. */
  readonly fault: string | null;
}

const EMPTY: MailState = { held: [], unseen: new Set(), fault: null };

interface DeskNeeds {
  readonly ask: PageSource["ask"];
  /** Calls back later; returns what cancels that. */
  readonly later: (call: () => void, ms: number) => () => void;
}

export class MailDesk {
  readonly #needs: DeskNeeds;
  readonly #listeners = new Set<() => void>();
  /** Of everything that was on the screen, also before it was taken. */
  readonly #seen = new Set<EventId>();
  /** What the page must still acknowledge, and for which attempt. */
  readonly #open = new Map<EventId, number>();
  #state = EMPTY;
  #isTaking = false;
  #isWanted = false;
  #hasMore = false;
  #tries = 0;
  #cancel: () => void = () => undefined;

  constructor(needs: DeskNeeds) {
    this.#needs = needs;
  }

  readonly state = () => this.#state;

  readonly subscribe = (changed: () => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  /** `isWanted`: a view is in sight that shows what is taken. `unread`: how much mail waits. */
  tell({ isWanted, unread }: { readonly isWanted: boolean; readonly unread: number }): void {
    this.#isWanted = isWanted && unread > 0;
    this.#cancel();
    this.#tries = 0;
    void this.look();
  }

  /** Takes more, unless the person has yet to see what was taken. */
  async look(): Promise<void> {
    if (!this.#isWanted || this.#isTaking || this.#open.size > 0) return;
    this.#isTaking = true;
    this.#cancel();
    let count = 0;
    try {
      const taken = await this.#needs.ask("read_my_messages", { ack: "manual", limit: AT_ONCE });
      count = taken.count;
      this.#hasMore = taken.remaining > 0;
      if (this.#state.fault !== null) this.#change({ fault: null });
      this.#hold(taken.messages);
    } catch (error) {
      this.#change({ fault: wordsOfError(error) });
    } finally {
      this.#isTaking = false;
    }
    if (count === 0) this.#lookLater();
    else this.#tries = 0;
    await this.#acknowledge();
  }

  /** This message was on the screen of a visible page. */
  seen(messageId: EventId): void {
    if (this.#seen.has(messageId)) return;
    this.#seen.add(messageId);
    const [oldest] = this.#seen;
    if (this.#seen.size > MOST_SEEN && oldest !== undefined) this.#seen.delete(oldest);
    if (this.#open.has(messageId)) void this.#acknowledge();
  }

  #hold(messages: readonly ReceivedMessage[]): void {
    if (messages.length === 0) return;
    for (const { messageId, attempt } of messages) this.#open.set(messageId, attempt);
    const again = new Set(messages.map(({ messageId }) => messageId));
    const others = this.#state.held.filter(({ messageId }) => !again.has(messageId));
    // Also an old message that comes now is kept: it was not shown yet.
    const kept = others.slice(0, MOST_HELD - messages.length);
    this.#change({ held: [...kept, ...messages].toSorted((a, b) => b.deliverySeq - a.deliverySeq) });
  }

  async #acknowledge(): Promise<void> {
    const seen = [...this.#open].filter(([messageId]) => this.#seen.has(messageId));
    if (seen.length === 0) return;
    for (const [messageId] of seen) this.#open.delete(messageId);
    let isOk = true;
    for (const [messageId, attempt] of seen) {
      try {
        await this.#needs.ask("ack_message", { message_id: messageId, attempt });
      } catch (error) {
        isOk = false;
        // Its time was over: it comes again, and is acknowledged then.
        if (!(error instanceof RefusedError)) this.#change({ fault: wordsOfError(error) });
      }
    }
    this.#change({});
    if (!isOk) this.#lookLater();
    else if (this.#hasMore) await this.look();
  }

  /** A few times, at longer and longer intervals: the page never polls. */
  #lookLater(): void {
    const ms = AGAIN_MS[this.#tries];
    if (ms === undefined || !this.#isWanted) return;
    this.#tries += 1;
    this.#cancel();
    this.#cancel = this.#needs.later(() => void this.look(), ms);
  }

  #change(change: Partial<MailState>): void {
    const unseen = new Set([...this.#open.keys()].filter((messageId) => !this.#seen.has(messageId)));
    this.#state = { ...this.#state, ...change, unseen };
    for (const listener of this.#listeners) listener();
  }
}
