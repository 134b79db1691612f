import type { EventId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeId, decodeInteger, decodeText } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { changeMailbox } from "./change-mailbox.ts";
import { type Acknowledged, ackMail, nackMail } from "./rules/acknowledge.ts";

export interface AckMessageInput {
  readonly messageId: string;
  /** Which attempt is answered for; without it the newest. */
  readonly attempt?: number;
}

export async function ackMessage(deps: Deps, caller: Caller, input: AckMessageInput): Promise<Acknowledged | Refusal> {
  const answer = decodeAnswer(input);
  if (isRefusal(answer)) return answer;
  const look = { kind: "messages", ids: [answer.messageId] } as const;
  const [result] = await changeMailbox(deps, caller, look, (window, given) => ackMail(window, given, [answer]));
  return result as Acknowledged | Refusal;
}

/** Gives a message back: it comes again after a while, or becomes a dead letter. */
export async function nackMessage(
  deps: Deps,
  caller: Caller,
  input: AckMessageInput & { readonly reason: string },
): Promise<Acknowledged | Refusal> {
  const answer = decodeAnswer(input);
  if (isRefusal(answer)) return answer;
  const reason = decodeText("reason", input.reason, LIMITS.reasonCharacters);
  if (isRefusal(reason)) return reason;
  const look = { kind: "messages", ids: [answer.messageId] } as const;
  return changeMailbox(deps, caller, look, (window, given) => nackMail(window, given, answer, reason));
}

function decodeAnswer(input: AckMessageInput): { messageId: EventId; attempt: number | null } | Refusal {
  const messageId = decodeId("message_id", input.messageId);
  if (isRefusal(messageId)) return messageId;
  if (input.attempt === undefined) return { messageId: messageId as EventId, attempt: null };
  const attempt = decodeInteger("attempt", input.attempt, { min: 1, max: Number.MAX_SAFE_INTEGER });
  return isRefusal(attempt) ? attempt : { messageId: messageId as EventId, attempt };
}
