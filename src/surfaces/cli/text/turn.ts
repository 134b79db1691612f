/** Answers about the turn, for people. */
import { oneLine } from "../../../core/visible.ts";
import type { NotYet, YourTurn } from "../../../stick/rules/answers.ts";
import { holderLostText } from "../../../stick/rules/turn-end-text.ts";
import type { HeardAnswer } from "../../../stick/wait-with-mail.ts";
import { until } from "../../words/ago.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import { handoffText } from "./handoff.ts";
import { messagesText } from "./message.ts";
import type { Page, Reading } from "./reading.ts";

export function whenDone({ tt, width }: Page): string {
  return wrapWhole(`When you are done: ${tt} release --status "…" --next-action "…"`, width, "  ");
}

const WHY = {
  already_owner: "you hold it already",
  direct_pass: "it was passed to you",
  given: "a person gave it to you",
  sequence: "you were next in the queue",
  open_claim: "it was free",
} as const;

/** The mail that came with the answer, and then the answer. */
export function heardText(answer: HeardAnswer, next: string, moreIsReady: boolean, reading: Reading): string {
  const { messages = [], remaining = 0 } = answer;
  if (messages.length === 0) return turnLines(answer, next, reading).join("\n");
  const mail = messagesText({ count: messages.length, messages, remaining }, reading, moreIsReady);
  // How many are left was said with the mail.
  const rest = answer.status === "not_yet" ? { ...answer, unread: 0 } : answer;
  return [mail, ...turnLines(rest, next, reading)].join("\n");
}

function turnLines(answer: HeardAnswer, next: string, reading: Reading): readonly string[] {
  const { nowMs, width, tt, names } = reading;
  const then = [wrapWhole(next, width, "  ")];
  switch (answer.status) {
    case "your_turn": {
      const from = answer.fromAgentId === null ? "" : ` from ${names.of(answer.fromAgentId)}`;
      return [
        `Your turn: turn ${answer.turnId} (${WHY[answer.reason]}).`,
        ...(answer.given?.reason ? [wrap(`Why: ${oneLine(answer.given.reason)}`, width)] : []),
        yourLease(answer.leaseExpiresAt, nowMs),
        ...(answer.paused ? [wrap("The room is paused: stop writing, and hand over.", width)] : []),
        ...(answer.handoff ? [wrap(`Handoff${from}:`, width), handoffText(answer.handoff, reading)] : []),
        ...driftLines(answer, reading),
        ...openNotesLines(answer.openNotes ?? 0, reading),
        whenDone(reading),
      ];
    }
    case "takeover_available":
      return [
        wrap(`${names.of(answer.currentOwner)} holds turn ${answer.turnId}, but ${holderLostText(answer)}.`, width),
        wrapWhole(`Take over with: ${tt} take --reason "…"`, width),
      ];
    case "not_yet":
      return [
        wrap(`Not yet: ${notYetText(answer, reading)}.`, width),
        ...(answer.unread > 0 ? [`${unreadText(answer.unread)}.`] : []),
        ...then,
      ];
    case "messages":
      return [];
    case "reservation_lost": {
      const { reservedFor, currentOwner } = answer;
      const now = reservedFor === null ? "it is free now" : `it is reserved for ${names.of(reservedFor)} now`;
      const who = currentOwner === undefined ? now : `${names.of(currentOwner)} holds it now`;
      return [wrap(`You did not take the stick in time; ${who}.`, width), ...then];
    }
    case "closed":
      return ["The room is closed.", ...then];
  }
}

/** How many messages wait to be read, and how to read them. */
export function unreadLines(unread: number, { tt, width }: Page): readonly string[] {
  return unread === 0 ? [] : [wrapWhole(`${unreadText(unread)}: ${tt} msg recv`, width, "  ")];
}

function unreadText(unread: number): string {
  return `${unread} unread message${unread === 1 ? "" : "s"}`;
}

/** What differs from the handoff, as we saw it. */
function driftLines({ drift, missingArtifacts = [] }: YourTurn, { width, tt }: Reading): readonly string[] {
  const more = drift && drift.more > 0 ? ` and ${drift.more} more` : "";
  return [
    ...(drift
      ? [wrapWhole(`Changed since the handoff: ${drift.paths.map(oneLine).join(", ")}${more}. See: ${tt} log`, width)]
      : []),
    ...missingArtifacts.map((path) => wrapWhole(`The handoff names ${oneLine(path)}, which is not there.`, width)),
  ];
}

function openNotesLines(open: number, { tt, width }: Page): readonly string[] {
  return open === 0 ? [] : [wrapWhole(`${open} open note${open === 1 ? "" : "s"}: ${tt} notes`, width, "  ")];
}

export function yourLease(leaseExpiresAt: string, nowMs: number): string {
  return `Your lease ends ${until(leaseExpiresAt, nowMs)}. Commands that change or wait, and hooks, renew it.`;
}

/** The live line of a wait. It is cut at the terminal's edge, so it begins with where I stand. */
export function waitingLine(answer: NotYet, reading: Reading): string {
  const place = answer.queuePosition === null ? "" : `, number ${answer.queuePosition} in line`;
  return `Waiting${place}: ${standText(answer, reading)}`;
}

/** Who holds, and where I stand. */
function notYetText(answer: NotYet, reading: Reading): string {
  const place = answer.queuePosition === null ? "" : `; you are number ${answer.queuePosition} in the queue`;
  return `${standText(answer, reading)}${place}`;
}

function standText(answer: NotYet, { nowMs, names }: Reading): string {
  const { currentOwner, reservedFor, turnId, leaseExpiresAt, paused } = answer;
  const holder = currentOwner === undefined ? null : names.of(currentOwner);
  if (paused) return `the room is paused${holder === null ? "" : `; ${holder} holds turn ${turnId}`}`;
  const lease = leaseExpiresAt === undefined ? "" : `, its lease ends ${until(leaseExpiresAt, nowMs)}`;
  if (holder !== null) return `${holder} holds turn ${turnId}${lease}`;
  return reservedFor === undefined ? "the stick is free" : `the stick is reserved for ${names.of(reservedFor)}`;
}
