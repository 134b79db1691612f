/** tt msg send, tt reply, tt msg trace: what is said, when each recipient will see it, and what became of it. */

import { messageStatus } from "../../../mail/message-status.ts";
import { replyToMessage } from "../../../mail/reply-to-message.ts";
import { sendMessage } from "../../../mail/send-message.ts";
import { SHORT_ID } from "../command.ts";
import { form } from "../form.ts";
import { BODY_FLAGS, readBody } from "../message-body.ts";
import { assertNamedRoom } from "../room-of.ts";
import { traceText } from "../text/delivery.ts";
import { sentText } from "../text/message.ts";
import { UsageError } from "../usage-error.ts";

const MSG_ID = { field: "msgId", value: "ID", help: "your own id for it: sending it again changes nothing" } as const;
const TO_SEND = 'tt msg send codex "the parser is yours"';
const TO_REPLY = 'tt reply 0k3v9zq "port 8080"';

export const msgSend = form({
  words: "msg send",
  of: sendMessage,
  summary: "send a message to an agent, or to everybody in the room",
  details: [
    "The agent is named by its id, its handle, its session, or its harness if only one of it is here.",
    "The answer says when each recipient will see it. No message is shortened, and every member of the room can read it.",
  ],
  example: TO_SEND,
  positionals: [
    { name: "who|room", field: "to", required: true },
    { name: "text", rest: true },
  ],
  flags: {
    interrupt: { kind: "boolean", help: "to be read before other mail" },
    wake: { kind: "boolean", help: "wake the recipient if there is a proven way; --interrupt implies it" },
    "no-wake": { kind: "boolean", help: "do not wake the recipient" },
    "reply-to": { field: "replyTo", value: "ID", help: "the message that it answers" },
    source: { field: "sourceMessageId", value: "ID", help: "the message that it passes on" },
    "msg-id": MSG_ID,
    ...BODY_FLAGS,
  },
  otherFlags: { room: "Write --room ID. To send to everybody in the room: tt msg send room TEXT" },
  async gather(context, args) {
    if (args.isSet("wake") && args.isSet("no-wake"))
      throw new UsageError("--wake and --no-wake exclude each other.", "Use one of them.");
    return {
      body: await readBody(context, TO_SEND),
      deliveryHint: args.isSet("interrupt") ? "interrupt" : "normal",
      ...(args.isSet("no-wake") ? { wake: "off" } : args.isSet("wake") && { wake: "auto" }),
    };
  },
  text: (sent, { context }) => sentText(sent, context.page),
});

export const reply = form({
  words: "reply",
  of: replyToMessage,
  summary: "answer a message; the reply goes to its sender",
  details: ["The reply is sent from the room of the message that it answers, unless --room names another.", SHORT_ID],
  example: TO_REPLY,
  positionals: [
    { name: "message-id", field: "messageId", required: true },
    { name: "text", rest: true },
  ],
  flags: { "msg-id": MSG_ID, ...BODY_FLAGS },
  gather: async (context) => ({ body: await readBody(context, TO_REPLY) }),
  text: (sent, { context }) => sentText(sent, context.page),
});

export const msgTrace = form({
  words: "msg trace",
  of: messageStatus,
  summary: "what became of a message, for each recipient",
  details: [SHORT_ID],
  example: "tt msg trace 0k3v9zq",
  positionals: [{ name: "message-id", field: "messageId", required: true }],
  async gather(context) {
    await assertNamedRoom(context);
    return {};
  },
  text: (status, { context, nowMs }) => traceText(status, nowMs, context.columns),
});
