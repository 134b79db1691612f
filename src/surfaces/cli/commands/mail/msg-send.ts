/** tt msg send, tt reply, tt msg trace: what is said, when each recipient will see it, and what became of it. */

import type { Refusal } from "../../../../core/refusal.ts";
import { messageStatus } from "../../../../mail/message-status.ts";
import { openQuestions } from "../../../../mail/open-questions.ts";
import type { SentAnswer } from "../../../../mail/post-message.ts";
import { replyToMessage } from "../../../../mail/reply-to-message.ts";
import { type OpenQuestion, onlyQuestion } from "../../../../mail/rules/only-question.ts";
import { sendMessage } from "../../../../mail/send-message.ts";
import { type Arguments, type Command, SHORT_ID } from "../../command.ts";
import type { CliContext } from "../../context.ts";
import { type AnswerContext, form, runForm } from "../../form.ts";
import { granted } from "../../granted.ts";
import { assertNamedRoom } from "../../room-of.ts";
import { traceText } from "../../text/delivery.ts";
import { answersText, sentText } from "../../text/message.ts";
import { UsageError } from "../../usage-error.ts";
import { BODY_FLAGS, ownWords, readBody, readInputBody } from "./message-body.ts";
import { refuseShortId, replyLine } from "./reply-line.ts";

const MSG_ID = { field: "msgId", value: "ID", help: "your own id for it: sending it again changes nothing" } as const;
const TO_SEND = 'tt msg send codex "the parser is yours"';
const TO_REPLY = 'tt reply "port 8080"';

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
  text: (sent, { context, caller }) => sentText(sent, context.page, caller?.isPerson === true),
});

const TO_MESSAGE = {
  words: "reply",
  of: replyToMessage,
  summary: "answer the question that you were asked, or a message by its id",
  details: [
    "Without an id it answers the only open question to you, and says which. If there are several, it lists them and",
    "sends nothing. Put the text in quotes: of several words, the first is an id.",
    "The reply is sent from the room of the message that it answers, unless --room names another.",
    SHORT_ID,
  ],
  example: TO_REPLY,
  positionals: [{ name: "message-id" }, { name: "text", rest: true }],
  flags: { "msg-id": MSG_ID, ...BODY_FLAGS },
  reword: (refusal: Refusal, args: Arguments): Refusal =>
    refusal.error === "message_not_found" && args.rest.length > 0
      ? {
          ...refusal,
          next: 'The first of several words is an id. Put an answer of several words in quotes: tt reply "…"',
        }
      : refusal,
} as const;

export const reply: Command = {
  ...form({ ...TO_MESSAGE, text: () => "" }),
  async run(context, args) {
    const words = [args.positional("message-id") ?? [], args.rest].flat();
    const line = replyLine(words, args.isSet("stdin"), TO_REPLY);
    const { messageId } = line;
    const body = line.body === undefined ? await readInputBody(context) : ownWords(line.body, TO_REPLY);
    const question = messageId === undefined ? await questionToAnswer(context, line.body ?? "") : null;
    const way = {
      ...TO_MESSAGE,
      gather: () => ({ messageId: question?.messageId ?? messageId, body }),
      text: (sent: SentAnswer, { context: { page }, caller }: AnswerContext) =>
        [...(question ? [answersText(question, page)] : []), sentText(sent, page, caller?.isPerson === true)].join(
          "\n",
        ),
    };
    return runForm(way, context, args);
  },
};

/** `word`: what the line has in the place of the text. */
async function questionToAnswer(context: CliContext, word: string): Promise<OpenQuestion> {
  const { deps, caller } = granted(await context.session());
  const questions = await openQuestions(deps, caller);
  refuseShortId(
    word,
    questions.map(({ messageId }) => messageId),
    TO_REPLY,
  );
  return granted(onlyQuestion(questions));
}

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
  text: (status, { context, nowMs }) => traceText(status, context.reading(nowMs)),
});
