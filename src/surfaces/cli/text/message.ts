/**
 * Messages for people. Every line of a body stands behind a bar, so that no body can look like a frame or like what
 * tt itself says; bodies are never cut, and control characters are made visible.
 */

import type { WillBeSeen } from "../../../core/mail-records.ts";
import { span } from "../../../core/time.ts";
import { oneLine } from "../../../core/visible.ts";
import type { Asked, QuestionSent } from "../../../mail/ask-peer.ts";
import type { SentAnswer } from "../../../mail/post-message.ts";
import type { ReceivedMessage } from "../../../mail/rules/message.ts";
import type { OpenQuestion } from "../../../mail/rules/only-question.ts";
import { silentMachineText } from "../../../mail/rules/silent-machine.ts";
import type { WakeStatus } from "../../../mail/rules/wake-status.ts";
import type { MyMessages } from "../../../mail/take-messages.ts";
import { ago } from "../../words/ago.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import type { ShownNames } from "./names.ts";
import { paintedLines } from "./paint.ts";
import type { Page, Reading } from "./reading.ts";

export function bodyText(body: string, width: number): string {
  const bar = "│ ";
  return wrap(body, width - bar.length)
    .split("\n")
    .map((line) => `${bar}${line}`.trimEnd())
    .join("\n");
}

export function messageText(message: ReceivedMessage, reading: Reading): string {
  const { width, tt, names, paint } = reading;
  const { messageId, body, kind } = message;
  const head = wrap(headOf(message, reading), width, "│   ");
  return [
    // Its sender waits for the reader.
    `┌ ${kind === "ask" || kind === "stick_request" ? paintedLines(head, paint.yellow) : head}`,
    bodyText(body, width),
    `└ ${wrap(`answer: ${tt} reply ${names.short(messageId)} "…"`, width, "  ")}`,
  ].join("\n");
}

function headOf(message: ReceivedMessage, { nowMs, names, directory }: Reading): string {
  const { createdAt, attempt, deliveryHint, to, room } = message;
  const isHere = room.path !== null && `${directory}/`.startsWith(`${room.path}/`);
  const more = [
    ...(to === "room" ? ["to the room"] : []),
    // "The stick" is not the one of this room then.
    ...(isHere ? [] : [`in ${room.path === null ? "a room that is gone" : oneLine(room.path)}`]),
    ago(createdAt, nowMs),
    ...(deliveryHint === "interrupt" ? ["interrupts"] : []),
    ...(attempt > 1 ? [`perhaps shown before: attempt ${attempt}`] : []),
  ];
  return `${whoSays(message, names)}, ${more.join(", ")}`;
}

function whoSays({ from, handle, kind, replyTo, requestId, late }: ReceivedMessage, names: ShownNames): string {
  const name = names.ids && handle !== null ? `${handle} (${from})` : (handle ?? names.of(from));
  if (kind === "ask") return `${name} asks and waits`;
  if (kind === "stick_request") return `${name} asks for the stick`;
  if (late) return `${name} answers your question ${names.short(requestId ?? "")}, too late`;
  return replyTo === undefined ? name : `${name} answers ${names.short(replyTo)}`;
}

/** `moreIsReady`: of what remains, some can be read at once. */
export function messagesText({ count, messages, remaining }: MyMessages, reading: Reading, moreIsReady = true): string {
  if (count === 0) return remaining === 0 ? "No new messages." : `No message can be read now; ${remaining} wait.`;
  const more = remaining === 0 ? [] : [wrapWhole(moreText(remaining, moreIsReady, reading.tt), reading.width)];
  return [...messages.map((message) => messageText(message, reading)), ...more].join("\n");
}

function moreText(remaining: number, isReady: boolean, tt: string): string {
  if (isReady) return `${remaining} more: ${tt} msg recv`;
  const them = remaining === 1 ? "it" : "them";
  return `${remaining} more cannot be read yet. Wait for ${them} with: ${tt} msg recv --wait`;
}

const WHEN: Readonly<Record<WillBeSeen, string>> = {
  now: "is receiving and sees it now",
  next_tool_call: "sees it at its next tool call",
  turn_end: "sees it when its turn ends",
  on_wake: "sees it now that it was woken",
  when_it_returns: "is gone and sees it when it returns",
  unknown: "sees it when it next checks its mail",
};

const WOKEN: Readonly<Record<WakeStatus, string>> = {
  receiver_live: "",
  fired: "",
  fired_unconfirmed: " (a wake was sent; the recipient has not been active since)",
  skipped_busy: " (not woken: it is at work)",
  skipped_draft: " (not woken: its terminal has unsent text)",
  skipped_dialog: " (not woken: its terminal shows a question)",
  skipped_no_target: " (not woken: there is no proven way to wake it)",
  disabled: " (not woken: TT_WAKE is off)",
};

/** `isPerson`: whether a person sent it; agents are told so. */
export function sentText({ messageId, deliveries }: SentAnswer, { width, tt, names }: Page, isPerson: boolean): string {
  const lines = deliveries.map(({ to, willBeSeen, wakeStatus, ...machine }) => {
    const seen = `${names.of(to)} ${WHEN[willBeSeen]}${wakeStatus === undefined ? "" : WOKEN[wakeStatus]}. `;
    return wrap([seen, ...silentMachineText("Its", machine)].join("").trimEnd(), width, "  ");
  });
  const receipts = lines.length === 0 ? ["Nobody else is here to get it."] : lines;
  const head = isPerson && lines.length > 0 ? "Sent, as a person's words." : "Sent.";
  return [head, ...receipts, wrapWhole(`Follow it with: ${tt} msg trace ${names.short(messageId)}`, width)].join("\n");
}

/** Which question an answer without an id goes to. */
export function answersText({ from, handle, body }: OpenQuestion, { width, names }: Page): string {
  return [wrap(`You answer ${handle ?? names.of(from)}, who asked:`, width), bodyText(body, width)].join("\n");
}

/** While an asker waits. On its one line there is no room for more. */
export function askingText({ to, sent }: QuestionSent, names: Page["names"]): string {
  const [peer] = sent.deliveries;
  const asked = `Asked ${oneLine(names.of(to))}`;
  if (peer?.host !== undefined && peer.hostSilentMs !== undefined)
    return `${asked}; ${oneLine(peer.host)} silent for ${span(peer.hostSilentMs)}. Ctrl-C stops waiting.`;
  const now = peer?.willBeSeen === "now" ? ", which sees it now" : "";
  return `${asked}${now}. Waiting for the answer; Ctrl-C stops waiting.`;
}

export function askedText(
  { messageId, reply, timeoutMs, timedOut, ...machine }: Asked,
  { width, tt, names }: Page,
): string {
  if (reply) {
    const head = `┌ ${wrap(`${names.of(reply.from)} answers`, width, "│   ")}`;
    return [head, bodyText(reply.body, width), `└ ${names.short(reply.messageId)}`].join("\n");
  }
  const why = timedOut
    ? `No answer within ${timeoutMs < 1000 ? `${timeoutMs} ms` : span(timeoutMs)}.`
    : "You stopped waiting.";
  const silent = silentMachineText("The peer's", machine).join("");
  return [
    wrap(`${why} ${silent}The question stays open: a late answer comes with ${tt} msg recv.`, width),
    wrapWhole(`Follow it with: ${tt} msg trace ${names.short(messageId)}`, width),
  ].join("\n");
}
