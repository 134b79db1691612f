/** The rows of the mail view: mail to the person, what could not be delivered to them, and to others in this room. Pure. */
import type { EventOf, RoomEvent } from "../../../../core/event.ts";
import type { AgentId, EventId } from "../../../../core/ids.ts";
import type { ReceivedMessage } from "../../../../mail/rules/message.ts";
import type { MarkedRecipient } from "../../../../peers/rules/picture-talk.ts";
import type { DeadLetterAnswer } from "../../../wire/page-answers.ts";

export interface UnreadMessage {
  readonly event: EventOf<"message_sent">;
  /** Those that will not read it. */
  readonly to: readonly AgentId[];
}

type Part = "mail" | "mine" | "others";

export type MailRow =
  | { readonly kind: "head"; readonly key: string; readonly part: Part }
  | { readonly kind: "none"; readonly key: string; readonly part: Part }
  | { readonly kind: "mail"; readonly key: string; readonly message: ReceivedMessage }
  | { readonly kind: "dead"; readonly key: string; readonly letter: DeadLetterAnswer }
  | { readonly kind: "more"; readonly key: string; readonly after: number }
  | { readonly kind: "undelivered"; readonly key: string; readonly unread: UnreadMessage };

export interface MailFacts {
  readonly held: readonly ReceivedMessage[];
  /** Null: the person's dead letters are not known. */
  readonly dead: readonly DeadLetterAnswer[] | null;
  /** Where the next page of them begins; null if there is none. */
  readonly moreAfter: number | null;
  readonly undelivered: readonly UnreadMessage[];
}

export function mailRows({ held, dead, moreAfter, undelivered }: MailFacts): readonly MailRow[] {
  const mail = held.map((message): MailRow => ({ kind: "mail", key: `mail:${message.deliverySeq}`, message }));
  const mine = (dead ?? []).map((letter): MailRow => ({ kind: "dead", key: `dead:${letter.deliverySeq}`, letter }));
  const more: readonly MailRow[] = moreAfter === null ? [] : [{ kind: "more", key: "more", after: moreAfter }];
  const others = undelivered.map(
    (unread): MailRow => ({ kind: "undelivered", key: `undelivered:${unread.event.seq}`, unread }),
  );
  return [...part("mail", mail), ...(dead === null ? [] : part("mine", [...mine, ...more])), ...part("others", others)];
}

function part(name: Part, rows: readonly MailRow[]): readonly MailRow[] {
  const head: MailRow = { kind: "head", key: `head:${name}`, part: name };
  return rows.length > 0 ? [head, ...rows] : [head, { kind: "none", key: `none:${name}`, part: name }];
}

/** Messages of this room that a recipient will not read, the newest first. The person's own dead letters have their list. */
export function undeliveredIn(
  events: readonly RoomEvent[],
  marks: ReadonlyMap<EventId, readonly MarkedRecipient[]>,
  me: AgentId | null,
): readonly UnreadMessage[] {
  const dead = new Map<EventId, readonly AgentId[]>();
  for (const [messageId, of] of marks) {
    const to = of.flatMap((one) => (one.mark === "dead" && one.to !== me ? one.to : []));
    if (to.length > 0) dead.set(messageId, to);
  }
  if (dead.size === 0) return [];
  const found = events.flatMap((event): readonly UnreadMessage[] => {
    const to = dead.get(event.eventId);
    return event.type === "message_sent" && to ? [{ event, to }] : [];
  });
  return found.toReversed();
}

/** Those that were requeued are not dead any more. Those of this room come first; otherwise the newest first. */
export function deadInOrder(letters: readonly DeadLetterAnswer[], roomId: string): readonly DeadLetterAnswer[] {
  const rank = ({ room }: DeadLetterAnswer) => (room.id === roomId ? 0 : 1);
  return letters
    .filter(({ requeuedAs }) => requeuedAs === undefined)
    .toSorted((a, b) => rank(a) - rank(b) || b.deliverySeq - a.deliverySeq);
}
