/**
 * Which messages fit into what a hook may say. Whole messages only: harnesses cut or hide what is longer, so what
 * does not fit stays in the mailbox and is named by its number. One that could never fit holds back its own sender's
 * mail alone, as everything does that stays behind.
 */
import type { AgentId } from "../../core/ids.ts";
import { frameMessages } from "../../mail/rules/frame.ts";
import type { ReceivedMessage } from "../../mail/rules/message.ts";

/** For the line that names what is left. */
const LINE_CHARACTERS = 160;

export interface Budget {
  /** What this hook may say. */
  readonly now: number;
  /** What a hook may say that has nothing else to say. */
  readonly ever: number;
}

export interface FittingMail {
  /** In their order. */
  readonly fitting: readonly ReceivedMessage[];
  /** How many do not fit now and can come with the next hook. */
  readonly later: number;
}

/** `isHeld`: whether a message must not be shown by a hook at all. */
export function fittingMail(
  messages: readonly ReceivedMessage[],
  budget: Budget,
  isHeld: (message: ReceivedMessage) => boolean,
): FittingMail {
  const fitting: ReceivedMessage[] = [];
  const [held, full] = [new Set<AgentId>(), new Set<AgentId>()];
  let later = 0;
  for (const message of messages) {
    const { from } = message;
    if (isHeld(message) || !fits([message], budget.ever)) held.add(from);
    if (held.has(from)) continue;
    if (!full.has(from) && fits([...fitting, message], budget.now)) {
      fitting.push(message);
      continue;
    }
    full.add(from);
    later += 1;
  }
  return { fitting, later };
}

function fits(messages: readonly ReceivedMessage[], maxCharacters: number): boolean {
  return textOf(messages).length + LINE_CHARACTERS <= maxCharacters;
}

/** `follows`: the mail comes with the prompt that this text begins. `goesOn`: the next hook shows more. */
export interface LeftMail {
  readonly follows: boolean;
  readonly goesOn: boolean;
}

/** What the model reads: the messages in their frame, and how many are left. */
export function mailText(messages: readonly ReceivedMessage[], left: number, how: LeftMail): string {
  const line = leftLine(left, messages.length > 0, how);
  return [textOf(messages), line].filter((part) => part !== "").join("\n");
}

function textOf(messages: readonly ReceivedMessage[]): string {
  return frameMessages(messages, "reply_to_message");
}

function leftLine(left: number, more: boolean, { follows, goesOn }: LeftMail): string {
  if (left === 0) return "";
  const what = `${left}${more ? " more" : ""} message${left === 1 ? "" : "s"}`;
  const [it, comes] = left === 1 ? ["it", "it comes"] : ["them", "they come"];
  const read = `read ${it} with read_my_messages`;
  if (follows) return `[${what} in your mailbox: if this prompt does not show ${it}, ${read}]`;
  if (goesOn) return `[${what} in your mailbox: ${comes} with your next tool call, or ${read}]`;
  return `[${what} in your mailbox: ${read}]`;
}
