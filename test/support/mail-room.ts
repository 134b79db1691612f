/** A room with mailboxes on a fake clock, changed by the pure decisions alone. */

import { type AgentId, asAgentId, asEventId, type EventId } from "../../src/core/ids.ts";
import type {
  Ask,
  Delivery,
  DeliveryCounts,
  MailChange,
  SentRecord,
  StoredMailbox,
} from "../../src/core/mail-records.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { after } from "../../src/core/time.ts";
import { ackMail, extendMail, giveBackMail, nackMail } from "../../src/mail/rules/acknowledge.ts";
import { purgeMail, requeue } from "../../src/mail/rules/dead-letters.ts";
import { isLive, settled } from "../../src/mail/rules/delivery.ts";
import { emptyMailbox, unread, withReceiver } from "../../src/mail/rules/mailbox.ts";
import type { CitedMessage, MessageSent } from "../../src/mail/rules/message.ts";
import { type Post, type SendMessage, sendMessage } from "../../src/mail/rules/send.ts";
import { markShown, showMail, type TurnEvent } from "../../src/mail/rules/show.ts";
import {
  endAsk,
  type MailboxWindow,
  type MailDecision,
  settleMail,
  takeMail,
  takeReply,
} from "../../src/mail/rules/take.ts";
import { type ActorOptions, processOf, RoomWorld } from "./room-world.ts";

interface SendOptions extends ActorOptions, Partial<Pick<SendMessage, "deliveryHint" | "msgId">> {
  readonly replyTo?: string;
  readonly source?: string;
  readonly askForMs?: number;
}

interface TakeOptions {
  readonly limit?: number;
  readonly maxBytes?: number;
  readonly onePerSender?: boolean;
  readonly from?: string;
}

export class MailRoom extends RoomWorld {
  readonly #boxes = new Map<AgentId, StoredMailbox>();
  readonly #deliveries = new Map<number, Delivery>();
  readonly #asks = new Map<string, Ask>();
  readonly #sent = new Map<string, SentRecord>();

  send(from: string, to: string, body: string, options: SendOptions = {}) {
    const { askForMs, deliveryHint = "normal", msgId = null } = options;
    const command: SendMessage = {
      body,
      deliveryHint,
      msgId,
      kind: null,
      elsewhere: [],
      replyTo: options.replyTo === undefined ? null : asEventId(options.replyTo),
      sourceMessageId: options.source === undefined ? null : asEventId(options.source),
      ask: askForMs === undefined ? null : { forMs: askForMs, callerProcess: processOf(`${from}-ask`) },
    };
    const decision = sendMessage(
      this.room,
      this.given(from, options),
      () => this.handles(),
      this.#post(from, to, command),
      command,
    );
    this.#save(decision.change.mail);
    return this.commit(decision);
  }

  /** Sends and gives the message's id. */
  post(from: string, to: string, body: string, options: SendOptions = {}): EventId {
    const sent = this.send(from, to, body, options);
    if (isRefusal(sent)) throw new Error(`refused: ${sent.message}`);
    return sent.messageId;
  }

  /** Takes mail and gives the bodies in the order they came. */
  take(reader: string, { limit = 50, maxBytes = 65_536, onePerSender = false, from }: TakeOptions = {}): string[] {
    const command = {
      limit,
      maxBytes,
      onePerSender,
      from: from === undefined ? null : asAgentId(from),
      transport: "test",
    };
    const once = () =>
      this.#change(reader, (window) => takeMail(window, this.given(reader), command), { liveOnly: true });
    let taken = once();
    while (taken.again) taken = once();
    const { deliveries } = taken;
    return deliveries.map(({ messageId }) => this.#body(messageId));
  }

  /** A hook: settles what was shown, takes what waits, and marks it as shown. The bodies that it shows. */
  hook(reader: string, event: TurnEvent, turn: string | null, { dies = false } = {}): string[] {
    const take = { limit: 50, maxBytes: 65_536, onePerSender: false, from: null, transport: "hook" };
    const sign = { event, turn };
    const once = () =>
      this.#change(reader, (window) => showMail(window, this.given(reader), { sign, take }), { liveOnly: true });
    let taken = once();
    while (taken.again) taken = once();
    const { deliveries } = taken;
    const answers = deliveries.map(({ messageId, seq }) => ({ messageId, seq, attempt: null }));
    const told = { answers, turn, announcedSeq: 0 };
    if (!dies) this.#change(reader, (window) => markShown(window, this.given(reader), told));
    return deliveries.map(({ messageId }) => this.#body(messageId));
  }

  ack(reader: string, messageId: string, attempt: number | null = null) {
    const answer = { messageId: asEventId(messageId), attempt };
    return this.#change(reader, (window) => ackMail(window, this.given(reader), [answer]))[0];
  }

  extend(reader: string, messageId: string) {
    const answer = { messageId: asEventId(messageId), attempt: null };
    return this.#change(reader, (window) => extendMail(window, this.given(reader), [answer]))[0];
  }

  giveBack(reader: string, messageId: string, attempt: number | null = null) {
    const answer = { messageId: asEventId(messageId), attempt };
    return this.#change(reader, (window) => giveBackMail(window, this.given(reader), [answer]))[0];
  }

  nack(reader: string, messageId: string, attempt: number | null = null, reason = "not now") {
    const answer = { messageId: asEventId(messageId), attempt };
    return this.#change(reader, (window) => nackMail(window, this.given(reader), answer, reason));
  }

  requeue(reader: string, messageId: string) {
    const command = {
      messageId: asEventId(messageId),
      seq: this.#deliveries.size + 1,
      ttlMs: this.room.policy.messageTtlMs,
    };
    return this.#change(reader, (window) => requeue(window, this.given(reader), command));
  }

  purge(reader: string, which: "live" | "dead_letters" = "live"): number {
    return this.#change(reader, (window) => purgeMail(window, this.given(reader), which)).purged;
  }

  takeReply(asker: string, requestId: string): string | null {
    const taken = this.#change(asker, (window) => takeReply(window, this.given(asker), asEventId(requestId)));
    return taken && this.#body(taken.messageId);
  }

  endAsk(asker: string, requestId: string): void {
    this.#change(asker, (window) =>
      endAsk(settleMail(window, this.given(asker)).mail, window, asEventId(requestId), "timed_out"),
    );
  }

  /** A process of the agent's that shows mail as it comes. */
  receive(agent: string): void {
    const receiver = {
      process: processOf(`${agent}-receiver`),
      until: after(this.given(agent).moment.instant, 60_000),
    };
    this.#boxes.set(
      asAgentId(agent),
      withReceiver(this.#box(asAgentId(agent)), receiver, () => false),
    );
  }

  /** The newest delivery of a message, as time has made it. */
  delivery(messageId: string): Delivery {
    const found = [...this.#deliveries.values()].findLast((delivery) => delivery.messageId === messageId);
    if (!found) throw new Error(`nobody got ${messageId}`);
    return settled(found, this.given("observer").moment);
  }

  mailState(messageId: string): Delivery["state"] {
    return this.delivery(messageId).state;
  }

  unread(agent: string): number {
    return unread(this.#box(asAgentId(agent)));
  }

  counts(agent: string): DeliveryCounts {
    return this.#box(asAgentId(agent)).counts;
  }

  #post(from: string, to: string, { msgId }: SendMessage): Post {
    const cited = this.events.filter((event): event is MessageSent => event.type === "message_sent");
    const recipients = (id: EventId) =>
      [...this.#deliveries.values()].filter(({ messageId }) => messageId === id).map(({ recipient }) => recipient);
    return {
      sender: asAgentId(from),
      to: to === "room" ? to : asAgentId(to),
      boxes: this.#boxes,
      freeSeqs: Array.from({ length: 10 }, (_, index) => this.#deliveries.size + 1 + index),
      sentBefore: (msgId && this.#sent.get(`${from} ${msgId.id}`)) ?? null,
      cited: new Map(
        cited.map((message): [string, CitedMessage] => [
          message.eventId,
          { message, recipients: recipients(message.eventId) },
        ]),
      ),
      asks: [...this.#asks.values()],
    };
  }

  #change<Answer>(
    reader: string,
    decide: (window: MailboxWindow) => MailDecision<Answer>,
    options: { readonly liveOnly?: boolean } = {},
  ): Answer {
    const { mail, answer } = decide(this.#window(asAgentId(reader), options));
    this.#save(mail);
    return answer;
  }

  #window(owner: AgentId, { liveOnly = false } = {}): MailboxWindow {
    const own = [...this.#deliveries.values()].filter(({ recipient }) => recipient === owner);
    const deliveries = liveOnly ? own.filter(isLive) : own;
    const interrupts = deliveries.filter((one) => isLive(one) && one.interrupt).map((one) => [one.from, one] as const);
    const asks = [...this.#asks.values()].filter((ask) => ask.asker === owner && ask.state === "waiting");
    return { box: this.#box(owner), deliveries, interrupts: [...new Map(interrupts).values()], asks };
  }

  #box(owner: AgentId): StoredMailbox {
    return this.#boxes.get(owner) ?? emptyMailbox(owner);
  }

  #body(messageId: EventId): string {
    const message = this.events.find((event) => event.eventId === messageId) as MessageSent;
    return message.payload.body;
  }

  #save(mail: MailChange | undefined): void {
    if (!mail) return;
    for (const [owner, box] of mail.boxes) this.#boxes.set(owner, box);
    for (const [seq, delivery] of mail.deliveries) this.#deliveries.set(seq, delivery);
    for (const [id, ask] of mail.asks) this.#asks.set(id, ask);
    if (mail.sent) this.#sent.set(`${mail.sent.sender} ${mail.sent.msgId}`, mail.sent);
  }
}
