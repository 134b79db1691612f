import type { Sent } from "../core/mail-records.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Message } from "./rules/message.ts";
import { messageNotFound } from "./rules/message-not-found.ts";
import { decodeMessageId, sendMessage } from "./send-message.ts";

export interface ReplyToMessageInput {
  /** The room to answer from; without it, the room of the message. */
  readonly roomId?: string;
  readonly messageId: string;
  readonly body: string;
  readonly msgId?: string;
}

/** Answers a message: its sender, the reference and, unless it is given, the room are filled in. */
export async function replyToMessage(deps: Deps, caller: Caller, input: ReplyToMessageInput): Promise<Sent | Refusal> {
  const messageId = decodeMessageId("message_id", input.messageId);
  if (isRefusal(messageId)) return messageId;
  const [cited] = messageId === null ? [] : await deps.store.readMessages([messageId]);
  if (!cited || messageId === null) return messageNotFound(input.messageId);
  const { roomId = cited.roomId, body, msgId } = input;
  const to = await senderOf(deps, caller, cited);
  if (isRefusal(to)) return to;
  return sendMessage(deps, caller, { roomId, body, to, replyTo: messageId, ...(msgId === undefined ? {} : { msgId }) });
}

async function senderOf({ store }: Deps, caller: Caller, { fromAgentId }: Message): Promise<string | Refusal> {
  if (fromAgentId === null) {
    return refuse("unknown_recipient", "Nobody has sent this message.", "Nothing has to be answered.", {
      candidates: [],
    });
  }
  const sender = await store.resolveAlias(fromAgentId);
  if (!ownNames(caller).includes(sender)) return sender;
  return refuse("self_send", "You have sent this message yourself.", "Nothing has to be answered.");
}
