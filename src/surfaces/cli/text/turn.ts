/** Answers about the turn, for people. */
import type { TurnAnswer } from "../../../domain/stick/answers.ts";
import { until } from "./ago.ts";
import { handoffText } from "./handoff.ts";

const WHY = {
  already_owner: "you hold it already",
  direct_pass: "it was passed to you",
  sequence: "you were next in the queue",
  open_claim: "it lay idle",
} as const;

export function turnText(answer: TurnAnswer, nowMs: number, width: number): string {
  switch (answer.status) {
    case "your_turn": {
      const from = answer.fromAgentId === null ? "" : ` from ${answer.fromAgentId}`;
      const handoff = answer.handoff ? `\nHandoff${from}:\n${handoffText(answer.handoff, width)}` : "";
      const lease = `your lease ends ${until(answer.leaseExpiresAt, nowMs)} unless you show yourself`;
      return `Your turn: turn ${answer.turnId} (${WHY[answer.reason]}; ${lease}).${handoff}\nWhen you are done: tt release --status "…" --next-action "…"\n`;
    }
    case "takeover_available": {
      const why = answer.reason === "owner_gone" ? "its process is gone" : "its lease ran out";
      return `${answer.currentOwner} holds turn ${answer.turnId}, but ${why}.\nTake over with: tt take --reason "…"\n`;
    }
    case "not_yet":
      return `${notYetLine(answer, nowMs)}\n`;
    case "closed":
      return "The room is closed. Reopen it with: tt join\n";
  }
}

/** One line: who holds, and where I stand. Also the live line of a wait. */
export function notYetLine(answer: Extract<TurnAnswer, { status: "not_yet" }>, nowMs: number): string {
  const holder =
    answer.currentOwner !== undefined
      ? `${answer.currentOwner} holds turn ${answer.turnId}`
      : answer.reservedFor !== undefined
        ? `reserved for ${answer.reservedFor}`
        : "the stick lies idle";
  const place = answer.queuePosition === null ? "" : `; you are number ${answer.queuePosition} in the queue`;
  const lease = answer.leaseExpiresAt === undefined ? "" : `; its lease ends ${until(answer.leaseExpiresAt, nowMs)}`;
  return `Not yet: ${holder}${lease}${place}`;
}
