/**
 * Which messages fit into what a hook may say. Whole messages only: harnesses cut or hide what is longer, so what
 * does not fit stays in the mailbox and is named by its number. One that could never fit holds back its own sender's
 * mail alone, as everything does that stays behind.
 */
import type { AgentId } from "../ids.ts";
import { frameMessages } from "../mail/frame.ts";
import type { ReceivedMessage } from "../mail/message.ts";

/** For the line that names what is left. */
const LINE_CHARACTERS = 160;

/** The messages that fit, in their order. */
export function fittingMail(messages: readonly ReceivedMessage[], maxCharacters: number): readonly ReceivedMessage[] {
  const fitting: ReceivedMessage[] = [];
  const held = new Set<AgentId>();
  for (const message of messages) {
    const fits = textOf([...fitting, message]).length + LINE_CHARACTERS <= maxCharacters;
    if (fits && !held.has(message.from)) fitting.push(message);
    else held.add(message.from);
  }
  return fitting;
}

/** What the model reads: the messages in their frame, and how many are left for it to fetch, unless they follow. */
export function mailText(messages: readonly ReceivedMessage[], left: number, follows = false): string {
  const line = leftLine(left, messages.length > 0, follows);
  return [textOf(messages), line].filter((part) => part !== "").join("\n");
}

function textOf(messages: readonly ReceivedMessage[]): string {
  return frameMessages(messages, "reply_to_message");
}

function leftLine(left: number, more: boolean, follows: boolean): string {
  if (left === 0) return "";
  const what = `${left}${more ? " more" : ""} message${left === 1 ? "" : "s"}`;
  if (follows) return `[${what} in your mailbox: what is not shown with this prompt, get with read_my_messages]`;
  return `[${what} in your mailbox: get ${left === 1 ? "it" : "them"} with read_my_messages]`;
}
