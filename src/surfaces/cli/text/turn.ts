/** Answers about the turn, for people. */
import type { NotYet, TurnAnswer } from "../../../domain/stick/answers.ts";
import { until } from "./ago.ts";
import { handoffText } from "./handoff.ts";
import { wrap } from "./wrap.ts";

export const WHEN_DONE = 'When you are done: tt release --status "…" --next-action "…"';

const WHY = {
  already_owner: "you hold it already",
  direct_pass: "it was passed to you",
  sequence: "you were next in the queue",
  open_claim: "it lay idle",
} as const;

export function turnText(answer: TurnAnswer, nowMs: number, width: number): string {
  return turnLines(answer, nowMs, width).join("\n");
}

function turnLines(answer: TurnAnswer, nowMs: number, width: number): readonly string[] {
  switch (answer.status) {
    case "your_turn": {
      const from = answer.fromAgentId === null ? "" : ` from ${answer.fromAgentId}`;
      return [
        `Your turn: turn ${answer.turnId} (${WHY[answer.reason]}).`,
        yourLease(answer.leaseExpiresAt, nowMs),
        ...(answer.handoff ? [wrap(`Handoff${from}:`, width), handoffText(answer.handoff, width)] : []),
        WHEN_DONE,
      ];
    }
    case "takeover_available": {
      const why = answer.reason === "owner_gone" ? "its process is gone" : "its lease ran out";
      return [
        wrap(`${answer.currentOwner} holds turn ${answer.turnId}, but ${why}.`, width),
        'Take over with: tt take --reason "…"',
      ];
    }
    case "not_yet":
      return [wrap(`Not yet: ${notYetText(answer, nowMs)}.`, width), ...unreadLines(answer.unread)];
    case "closed":
      return ["The room is closed. Reopen it with: tt join"];
  }
}

/** How many messages wait to be read, and how to read them. */
export function unreadLines(unread: number): readonly string[] {
  return unread === 0 ? [] : [`${unread} unread message${unread === 1 ? "" : "s"}: tt msg recv`];
}

export function yourLease(leaseExpiresAt: string, nowMs: number): string {
  return `Your lease ends ${until(leaseExpiresAt, nowMs)} unless you show yourself.`;
}

/** The live line of a wait. It is cut at the terminal's edge, so it begins with where I stand. */
export function waitingLine(answer: NotYet, nowMs: number): string {
  const place = answer.queuePosition === null ? "" : `, number ${answer.queuePosition} in line`;
  return `Waiting${place}: ${standText(answer, nowMs)}`;
}

/** Who holds, and where I stand. */
function notYetText(answer: NotYet, nowMs: number): string {
  const place = answer.queuePosition === null ? "" : `; you are number ${answer.queuePosition} in the queue`;
  return `${standText(answer, nowMs)}${place}`;
}

function standText({ currentOwner, reservedFor, turnId, leaseExpiresAt }: NotYet, nowMs: number): string {
  const lease = leaseExpiresAt === undefined ? "" : `, its lease ends ${until(leaseExpiresAt, nowMs)}`;
  if (currentOwner !== undefined) return `${currentOwner} holds turn ${turnId}${lease}`;
  return reservedFor === undefined ? "the stick lies idle" : `the stick is reserved for ${reservedFor}`;
}
