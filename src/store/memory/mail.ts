/** Mailboxes in memory. */

import type { RoomEvent } from "../../core/event.ts";
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { Ask, Delivery, MailChange, Receiver, SentRecord, StoredMailbox } from "../../core/mail-records.ts";
import type { MailWindow, PostRequest } from "../../engine/ports/mail-store.ts";
import { isLive, isShown } from "../../mail/rules/delivery.ts";
import { emptyMailbox, mergedMailbox } from "../../mail/rules/mailbox.ts";
import type { CitedMessage, MessageSent } from "../../mail/rules/message.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { MailboxWindow } from "../../mail/rules/take.ts";

type NameOf = (agentId: AgentId) => AgentId;

export class MemoryMail {
  readonly #nameOf: NameOf;
  readonly #boxes = new Map<AgentId, StoredMailbox>();
  readonly #deliveries = new Map<number, Delivery>();
  #lastSeq = 0;
  readonly #messages = new Map<EventId, MessageSent>();
  readonly #sent = new Map<string, SentRecord>();
  readonly #asks = new Map<EventId, Ask>();

  constructor(nameOf: NameOf) {
    this.#nameOf = nameOf;
  }

  get nextSeq(): number {
    return this.#lastSeq + 1;
  }

  post({ sender, to, outside = [], msgId, cites, asks }: PostRequest, members: readonly AgentId[]): Post {
    const names = [...new Set([sender, ...(to === "room" ? [...members, ...outside] : [to])].map(this.#nameOf))];
    return {
      sender: this.#nameOf(sender),
      to: to === "room" ? to : this.#nameOf(to),
      boxes: new Map(names.flatMap((name) => (this.#boxes.has(name) ? [[name, this.box(name)] as const] : []))),
      freeSeqs: names.map((_, index) => this.nextSeq + index),
      sentBefore: (msgId !== null && this.#sent.get(sentKey(this.#nameOf(sender), msgId))) || null,
      cited: new Map(this.messages(cites).map((message) => [message.eventId, this.#cited(message)])),
      asks: asks ? this.waitingAsks : [],
    };
  }

  box(owner: AgentId): StoredMailbox {
    return this.#boxes.get(owner) ?? emptyMailbox(owner);
  }

  receivers(agents: readonly AgentId[]): readonly Receiver[] {
    return [...new Set(agents.map(this.#nameOf))].flatMap((name) => this.box(name).receivers);
  }

  window(agentId: AgentId, look: MailWindow): MailboxWindow {
    const owner = this.#nameOf(agentId);
    const own = [...this.#deliveries.values()].filter(({ recipient }) => recipient === owner);
    const live = own.filter(isLive);
    const interrupts = look.kind === "lanes" ? live.filter(({ interrupt }) => interrupt) : [];
    return {
      box: this.box(owner),
      deliveries: chosen(own, live, look).toSorted((a, b) => a.seq - b.seq),
      interrupts: [...new Map(interrupts.map((newest) => [newest.from, newest])).values()],
      asks: this.#asksIn(look).filter(({ asker }) => asker === owner),
    };
  }

  messages(ids: readonly EventId[]): readonly MessageSent[] {
    return ids.flatMap((id) => this.#messages.get(id) ?? []);
  }

  #cited(message: MessageSent): CitedMessage {
    return { message, recipients: this.deliveries([message.eventId]).map(({ recipient }) => recipient) };
  }

  deliveries(messageIds: readonly EventId[]): readonly Delivery[] {
    return [...this.#deliveries.values()].filter(({ messageId }) => messageIds.includes(messageId));
  }

  save({ boxes, deliveries, asks, sent }: MailChange): void {
    for (const [agentId, box] of boxes) this.#boxes.set(agentId, box);
    for (const [seq, delivery] of deliveries) {
      this.#deliveries.set(seq, delivery);
      this.#lastSeq = Math.max(this.#lastSeq, seq);
    }
    for (const ask of asks.values()) this.#asks.set(ask.requestId, ask);
    if (sent) this.#sent.set(sentKey(sent.sender, sent.msgId), sent);
  }

  keep(message: MessageSent): void {
    this.#messages.set(message.eventId, message);
  }

  /** Messages that may still be read outlive the pruning of their room. */
  isUnread(event: RoomEvent): boolean {
    return this.deliveries([event.eventId]).some(isUnfinished);
  }

  forget(events: readonly RoomEvent[], deliveries: readonly number[]): void {
    for (const { eventId } of events) this.#messages.delete(eventId);
    for (const seq of deliveries) this.#deliveries.delete(seq);
  }

  /** The deliveries of a room that have ended, with all others of their messages; the newest of all is kept. */
  endedIn(roomId: RoomId): readonly number[] {
    const unfinished = [...this.#deliveries.values()].filter(isUnfinished).map(({ messageId }) => messageId);
    return [...this.#deliveries.values()]
      .filter((delivery) => delivery.roomId === roomId && !unfinished.includes(delivery.messageId))
      .filter(({ seq }) => seq < this.#lastSeq)
      .map(({ seq }) => seq);
  }

  hasMailFor(agentId: AgentId): boolean {
    if ([...this.#deliveries.values()].some(({ recipient }) => recipient === agentId)) return true;
    return this.waitingAsks.some(({ asker }) => asker === agentId);
  }

  get owners(): readonly AgentId[] {
    return [...this.#boxes.keys()];
  }

  hasSent(agentId: AgentId): boolean {
    return [...this.#sent.values()].some(({ sender }) => sender === agentId);
  }

  /** True if a mailbox that had ever got mail was removed. */
  forgetBox(agentId: AgentId): boolean {
    const { receivers, counts } = this.box(agentId);
    if (receivers.length > 0 || counts.pending + counts.in_flight > 0) return false;
    this.#boxes.delete(agentId);
    return counts.acked + counts.dead_letter + counts.expired > 0;
  }

  /** Forgets the ended asks of agents that are gone, if the asking messages are gone too. Returns how many there were. */
  forgetAsks(isGone: (agentId: AgentId) => boolean): number {
    const old = [...this.#asks.values()].filter(
      ({ state, requestId, asker }) => state !== "waiting" && !this.#messages.has(requestId) && isGone(asker),
    );
    for (const { requestId } of old) this.#asks.delete(requestId);
    return old.length;
  }

  merge(old: AgentId, now: AgentId): void {
    if (old === now) return;
    this.#boxes.set(now, mergedMailbox(this.box(now), this.box(old)));
    this.#boxes.delete(old);
    const renamed = (name: AgentId) => (name === old ? now : name);
    for (const [seq, delivery] of this.#deliveries) {
      const { recipient, from } = delivery;
      this.#deliveries.set(seq, { ...delivery, recipient: renamed(recipient), from: renamed(from) });
    }
    for (const ask of this.#asks.values()) {
      this.#asks.set(ask.requestId, { ...ask, asker: renamed(ask.asker), peer: renamed(ask.peer) });
    }
    for (const [key, record] of this.#sent) {
      const renamedKey = sentKey(now, record.msgId);
      if (record.sender !== old || this.#sent.has(renamedKey)) continue;
      this.#sent.delete(key);
      this.#sent.set(renamedKey, { ...record, sender: now });
    }
  }

  #asksIn(look: MailWindow): readonly Ask[] {
    return look.kind === "ask" ? this.asks([look.requestId]) : this.waitingAsks;
  }

  asks(ids: readonly EventId[]): readonly Ask[] {
    return ids.flatMap((id) => this.#asks.get(id) ?? []);
  }

  unansweredAsks(peer: AgentId, limit: number): readonly Ask[] {
    const all = [...this.#deliveries.values()].toSorted((a, b) => a.seq - b.seq);
    const delivered = new Map(
      all
        .filter(({ recipient, state }) => recipient === peer && state !== "expired")
        .map(({ messageId, seq }) => [messageId, seq]),
    );
    const isAnswer = ({ requestId, state }: Ask, { replyTo, seq }: Delivery) =>
      replyTo === requestId ||
      (state !== "waiting" && replyTo === null && seq > (delivered.get(requestId) ?? Number.POSITIVE_INFINITY));
    const isAnswered = (ask: Ask) =>
      all.some((one) => one.recipient === ask.asker && one.from === peer && isAnswer(ask, one));
    const asked = this.asks([...delivered.keys()]).filter(
      (ask) => ask.peer === peer && ask.state !== "answered" && !isAnswered(ask),
    );
    return asked.slice(-limit);
  }

  get waitingAsks(): readonly Ask[] {
    return [...this.#asks.values()].filter(({ state }) => state === "waiting");
  }
}

/** Whether it may still be read. */
function isUnfinished(delivery: Delivery): boolean {
  return isLive(delivery) || (delivery.state === "dead_letter" && !delivery.purged);
}

function chosen(own: readonly Delivery[], live: readonly Delivery[], look: MailWindow): readonly Delivery[] {
  switch (look.kind) {
    case "lanes": {
      const unshown = live.filter((delivery) => !isShown(delivery));
      const senders = [...new Set(unshown.map(({ from }) => from))].filter((from) => (look.from ?? from) === from);
      const lanes = senders.map((sender) => unshown.filter(({ from }) => from === sender));
      const shown = look.withShown ? live.filter(isShown) : [];
      return [...lanes.flatMap((lane) => lane.slice(0, look.perSender)), ...shown];
    }
    case "messages":
      return own.filter(({ messageId }) => look.ids.includes(messageId));
    case "numbers":
      return own.filter(({ seq }) => look.seqs.includes(seq));
    case "replies":
      return live.filter(({ replyTo }) => replyTo === look.to);
    case "ask":
      return own.filter(({ replyTo }) => replyTo === look.requestId);
    case "msg_id":
      return own.filter(({ msgId }) => msgId === look.msgId);
    case "live":
      return live.filter(({ seq }) => seq > (look.after ?? 0)).slice(0, look.limit);
    case "dead_letters":
      return own
        .filter(({ state, purged }) => (state === "dead_letter" && !purged) || state === "in_flight")
        .filter(({ seq }) => seq > (look.after ?? 0))
        .slice(0, look.limit);
    case "after":
      return own.filter(({ seq }) => seq > look.seq).slice(0, look.limit);
  }
}

function sentKey(sender: AgentId, msgId: string): string {
  return JSON.stringify([sender, msgId]);
}
