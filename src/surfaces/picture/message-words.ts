/** What kind of message it is, beside its sender and its recipient. */
import type { MessagePayload } from "../../core/event.ts";
import type { ReceivedMessage } from "../../mail/rules/message.ts";

type Kind = Pick<MessagePayload, "deliveryHint" | "origin"> & Pick<ReceivedMessage, "kind" | "replyTo">;

/** Nothing for a plain message of an agent. */
export function messageKindWords({ kind, deliveryHint, replyTo, origin }: Kind, isMine = false): string {
  const parts = [
    ...(origin === "human" && !isMine ? ["a person"] : []),
    ...(kind === "ask" ? ["asks and waits"] : kind === "stick_request" ? ["asks for the stick"] : []),
    ...(deliveryHint === "interrupt" ? ["interrupts"] : []),
    ...(replyTo === undefined ? [] : ["answers"]),
  ];
  return parts.join(", ");
}
