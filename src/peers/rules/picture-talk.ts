/** What was said in a room: messages with what became of them, answers below their questions, handoffs and notes. */
import type { EventOf, RoomEvent } from "../../core/event.ts";
import type { Handoff } from "../../core/handoff.ts";
import type { AgentId, EventId, NoteId } from "../../core/ids.ts";
import type { Delivery } from "../../core/mail-records.ts";
import type { Moment } from "../../core/time.ts";
import { isShown, settled } from "../../mail/rules/delivery.ts";
import type { PictureFacts } from "./picture.ts";

/** `waiting`: nobody has read it. `shown`: its reader has it and may give it back. `dead`: it will not be read. */
export type DeliveryMark = "waiting" | "shown" | "read" | "dead";

export interface MarkedRecipient {
  readonly to: AgentId;
  readonly mark: DeliveryMark;
}

interface Said {
  readonly seq: number;
  readonly at: string;
  readonly from: AgentId | null;
}

export interface TalkMessage extends Said {
  readonly kind: "message";
  readonly messageId: EventId;
  readonly to: AgentId | "room";
  /** A person's words weigh more than an agent's. */
  readonly isPersons: boolean;
  /** Its sender awaits an answer, or the stick. */
  readonly wants: "answer" | "stick" | null;
  readonly isInterrupt: boolean;
  readonly replyTo: EventId | null;
  readonly body: string;
  readonly marks: readonly MarkedRecipient[];
  /** The oldest first. */
  readonly answers: readonly TalkMessage[];
}

export interface TalkHandoff extends Said {
  readonly kind: "handoff";
  readonly turnId: number;
  /** The agent that got the stick by it. */
  readonly to: AgentId | null;
  readonly handoff: Handoff;
}

export interface TalkNote extends Said {
  readonly kind: "note";
  readonly noteId: NoteId;
  readonly preview: string;
  readonly isResolved: boolean;
}

export type TalkItem = TalkMessage | TalkHandoff | TalkNote;

export function isTalk({ type, handoff }: RoomEvent): boolean {
  return type === "message_sent" || type === "note_added" || handoff !== null;
}

type TalkFacts = Pick<PictureFacts, "events" | "deliveries" | "given" | "mostTalk">;

/** Two agents may answer each other for hours. An answer below so many others stands for itself. */
const DEEPEST_ANSWER = 50;

/** The newest of it. An answer whose question is not among it stands for itself. */
export function talkIn({ events, deliveries, given, mostTalk }: TalkFacts): readonly TalkItem[] {
  if (mostTalk === 0) return [];
  return saidIn(events, mostTalk, (messageId) => marksOf(deliveries.get(messageId) ?? [], given.moment));
}

/** `marksFor`: what became of a message. */
export function saidIn(
  events: readonly RoomEvent[],
  most: number,
  marksFor: (messageId: EventId) => readonly MarkedRecipient[],
): readonly TalkItem[] {
  const said = events.filter(isTalk).slice(-most);
  const resolved = new Set(events.flatMap((event) => (event.type === "note_resolved" ? event.payload.noteId : [])));
  const evidence = new Map(
    events.flatMap((event) =>
      event.type === "evidence_attached" ? [[event.payload.handoffSeq, event.payload.evidence] as const] : [],
    ),
  );
  const messages = said.filter((event) => event.type === "message_sent");
  /** How many messages stand above a message. */
  const depths = new Map<string, number>();
  const answers = new Map<string, EventOf<"message_sent">[]>();
  for (const message of messages) {
    const { eventId, payload } = message;
    const { replyTo } = payload;
    const above = replyTo === undefined ? undefined : depths.get(replyTo);
    const isBelow = above !== undefined && above < DEEPEST_ANSWER;
    depths.set(eventId, isBelow ? above + 1 : 0);
    if (replyTo === undefined || !isBelow) continue;
    const others = answers.get(replyTo);
    if (others) others.push(message);
    else answers.set(replyTo, [message]);
  }
  const messageOf = (event: EventOf<"message_sent">): TalkMessage => ({
    ...messageAlone(event, marksFor(event.eventId)),
    answers: (answers.get(event.eventId) ?? []).map(messageOf),
  });
  return said.flatMap((event): readonly TalkItem[] => {
    const { seq, createdAt: at, fromAgentId: from, turnId, toAgentId, handoff } = event;
    if (event.type === "message_sent") {
      return depths.get(event.eventId) === 0 ? [messageOf(event)] : [];
    }
    if (event.type === "note_added") {
      const { noteId, preview } = event.payload;
      return [{ kind: "note", seq, at, from, noteId, preview, isResolved: resolved.has(noteId) }];
    }
    const to = event.type === "release" ? event.payload.reservedFor : toAgentId;
    if (handoff === null) return [];
    const brought = evidence.get(seq);
    const whole = brought === undefined ? handoff : { ...handoff, evidence: brought };
    return [{ kind: "handoff", seq, at, from, turnId, to, handoff: whole }];
  });
}

function messageAlone(
  { seq, eventId, createdAt: at, fromAgentId: from, toAgentId, payload }: EventOf<"message_sent">,
  marks: readonly MarkedRecipient[],
): Omit<TalkMessage, "answers"> {
  const { origin, kind, deliveryHint, replyTo, body } = payload;
  return {
    kind: "message",
    seq,
    at,
    from,
    body,
    messageId: eventId,
    to: toAgentId ?? "room",
    isPersons: origin === "human",
    wants: kind === "ask" ? "answer" : kind === "stick_request" ? "stick" : null,
    isInterrupt: deliveryHint === "interrupt",
    replyTo: (replyTo ?? null) as EventId | null,
    marks,
  };
}

/** One for each recipient. Its newest delivery counts: a dead letter may have been sent again. */
export function marksOf(deliveries: readonly Delivery[], moment: Moment): readonly MarkedRecipient[] {
  const newest = new Map<AgentId, Delivery>();
  for (const delivery of deliveries.toSorted((a, b) => a.seq - b.seq)) newest.set(delivery.recipient, delivery);
  return [...newest].map(([to, delivery]) => ({ to, mark: markOf(settled(delivery, moment)) }));
}

function markOf(delivery: Delivery): DeliveryMark {
  switch (delivery.state) {
    case "pending":
      return "waiting";
    case "in_flight":
      return isShown(delivery) ? "shown" : "waiting";
    case "acked":
      return "read";
    case "dead_letter":
    case "expired":
      return "dead";
  }
}
