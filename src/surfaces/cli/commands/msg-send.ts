/** tt msg send, tt reply: what is said, and when each recipient will see it. */

import { isRefusal, type Refusal } from "../../../core/refusal.ts";
import { replyToMessage } from "../../../mail/reply-to-message.ts";
import type { Outgoing } from "../../../mail/room-to-send-from.ts";
import type { SentAnswer } from "../../../mail/send-message.ts";
import { sendMessage } from "../../../mail/send-message.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { BODY_FLAGS, readBody } from "../message-body.ts";
import { actingToSend } from "../room-of.ts";
import { sentText } from "../text/message.ts";
import { UsageError } from "../usage-error.ts";

const MSG_ID = { kind: "text", value: "ID", help: "your own id for it: sending it again changes nothing" } as const;

export const msgSend: Command = {
  name: "msg send",
  summary: "send a message to an agent, or to everybody in the room",
  details: [
    "The agent is named by its id, its handle, its session, or its harness if only one of it is here.",
    "The answer says when each recipient will see it. Nothing is cut; nothing is private within the room.",
  ],
  example: 'tt msg send codex "the parser is yours"',
  positionals: [
    { name: "who|room", required: true },
    { name: "text", rest: true },
  ],
  flags: {
    interrupt: { kind: "boolean", help: "to be read before other mail" },
    wake: { kind: "boolean", help: "wake the recipient if there is a proven way; --interrupt does so by itself" },
    "no-wake": { kind: "boolean", help: "wake nobody" },
    "reply-to": { kind: "text", value: "ID", help: "the message that it answers" },
    source: { kind: "text", value: "ID", help: "the message that it passes on" },
    "msg-id": MSG_ID,
    ...BODY_FLAGS,
  },
  async run(context, args) {
    if (args.isSet("wake") && args.isSet("no-wake"))
      throw new UsageError("--wake and --no-wake exclude each other.", "Use one of them.");
    const body = await readBody(context, msgSend.example);
    if (isRefusal(body)) return context.refuse(body);
    const replyTo = args.text("reply-to");
    const sourceMessageId = args.text("source");
    const msgId = args.text("msg-id");
    const message: Outgoing = {
      to: args.required("who|room"),
      body,
      deliveryHint: args.isSet("interrupt") ? "interrupt" : "normal",
      ...(args.isSet("no-wake") ? { wake: "off" } : args.isSet("wake") && { wake: "auto" }),
      ...(replyTo !== undefined && { replyTo }),
      ...(sourceMessageId !== undefined && { sourceMessageId }),
      ...(msgId !== undefined && { msgId }),
    };
    const acting = await actingToSend(context, message);
    if (isRefusal(acting)) return context.refuse(acting);
    const sent = await sendMessage(acting.deps, acting.caller, { roomId: acting.roomId, ...message });
    return tellSent(context, sent);
  },
};

export const reply: Command = {
  name: "reply",
  summary: "answer a message; whom it goes to is filled in",
  details: ["The answer goes out from the room of what it answers, wherever you are, unless --room names another."],
  example: 'tt reply 0k3v9zq "port 8080"',
  positionals: [
    { name: "message-id", required: true },
    { name: "text", rest: true },
  ],
  flags: { "msg-id": MSG_ID, ...BODY_FLAGS },
  async run(context, args) {
    const body = await readBody(context, reply.example);
    if (isRefusal(body)) return context.refuse(body);
    const messageId = args.required("message-id");
    const acting = await actingToSend(context, { body, answers: messageId });
    if (isRefusal(acting)) return context.refuse(acting);
    const msgId = args.text("msg-id");
    const sent = await replyToMessage(acting.deps, acting.caller, {
      roomId: acting.roomId,
      messageId,
      body,
      ...(msgId !== undefined && { msgId }),
    });
    return tellSent(context, sent);
  },
};

async function tellSent(context: CliContext, sent: SentAnswer | Refusal): Promise<number> {
  if (isRefusal(sent)) return context.refuse(sent);
  await context.answer(sent, (shown) => sentText(shown, context.page));
  return EXIT.done;
}
