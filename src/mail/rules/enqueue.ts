/**
 * A send by the mailbox protocol. It knows ids, not sessions: the sender is no member of the room and does not become
 * one, and may write to itself. What was sent before under the same id is not looked at again, whatever it says now.
 */

import type { AgentId } from "../../core/ids.ts";
import type { MailChange } from "../../core/mail-records.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { begin, type Decision } from "../../room/rules/change.ts";
import { roomClosed } from "../../room/rules/refusals.ts";
import type { Room } from "../../room/rules/room.ts";
import { settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { beginMail, boxOf } from "./mail-change.ts";
import { type Post, postMessage, type SendMessage, sizeProblem } from "./send.ts";

export interface Enqueued {
  /** False when the sender's id was known already. */
  readonly queued: boolean;
  /** How many messages wait in the recipient's mailbox, those that back off among them. */
  readonly pending: number;
}

export function enqueueMessage(
  room: Room,
  given: Given,
  post: Post & { readonly to: AgentId },
  command: SendMessage,
): Decision<Enqueued | Refusal> {
  const change = settle(begin(room), given);
  const pending = (mail: MailChange) => boxOf(mail, post.to).counts.pending;
  if (post.sentBefore) return { change, answer: { queued: false, pending: pending(beginMail(post.boxes)) } };
  if (change.room.state.status === "closed") return { change, answer: roomClosed(change.room, given.caller) };
  const problem = sizeProblem(room, command.body);
  if (problem) return { change, answer: problem };
  const sent = postMessage(change, given, post, command, [post.to]);
  if (isRefusal(sent)) return { change, answer: sent };
  const { mail = beginMail(post.boxes) } = sent.change;
  return { change: sent.change, answer: { queued: true, pending: pending(mail) } };
}
