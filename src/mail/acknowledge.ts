/** Answering for mail that was taken with a manual acknowledgement. */
import { idOf, integer, optional, text } from "../core/field.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../engine/operation.ts";
import { changeMailbox } from "./change-mailbox.ts";
import { type Acknowledged, type AnswerRefusal, ackMail, nackMail } from "./rules/acknowledge.ts";

const ANSWER = {
  messageId: idOf("message"),
  // Which attempt is answered for; without it the newest.
  attempt: optional(integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
};

export const ackMessage = operation({
  name: "ack_message",
  summary: "Confirms a message that was taken with ack manual.",
  needs: { store: "change", caller: "known", room: "none" },
  input: ANSWER,
  refusals: ["not_your_message", "attempt_stale"],
  mcp: "gateway",
  async run({ deps, caller }, { messageId, attempt = null }) {
    const answer = { messageId, attempt };
    const look = { kind: "messages", ids: [answer.messageId] } as const;
    const [result] = await changeMailbox(deps, caller, look, (window, given) => ackMail(window, given, [answer]));
    return result as Acknowledged | AnswerRefusal;
  },
});

export const nackMessage = operation({
  name: "nack_message",
  summary: "Gives a message back: it comes again later, or becomes a dead letter.",
  needs: { store: "change", caller: "known", room: "none" },
  input: { ...ANSWER, reason: text(LIMITS.reasonCharacters) },
  refusals: ["not_your_message", "attempt_stale"],
  mcp: "gateway",
  run({ deps, caller }, { messageId, attempt = null, reason }) {
    const answer = { messageId, attempt };
    const look = { kind: "messages", ids: [answer.messageId] } as const;
    return changeMailbox(deps, caller, look, (window, given) => nackMail(window, given, answer, reason));
  },
});
