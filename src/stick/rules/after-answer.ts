/** What an agent may do after each answer about the stick. */
import type { Next, Step } from "../../core/next.ts";
import { reopening } from "../../room/rules/refusals.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { quotedReason } from "./turn-end-text.ts";

interface Heard {
  readonly status: string;
  readonly turnId?: number;
  readonly unread?: number;
  readonly openNotes?: number;
  readonly messages?: readonly unknown[];
  readonly currentOwner?: string;
  readonly reservedFor?: string | null;
  readonly paused?: object;
  readonly closedBy?: string;
  readonly reason?: string;
}

/** A holder that is only cut off goes on working, and learns of the takeover when it is back. */
const CAREFUL = ["If the work can wait, wait again: the holder's machine may only be cut off. "] as const;

const RELEASE: Step = { do: "release_stick" };

/** `claims`: whether the caller waits for the stick, or only listens. */
export function afterWait(heard: Heard, claims: boolean, caller: Pick<Caller, "isPerson">): Next {
  const { status, turnId = 0, unread = 0, openNotes = 0, messages = [] } = heard;
  const mail = mailFirst(messages.length, unread);
  switch (status) {
    case "your_turn":
      if (heard.paused) return [...mail, "The room is paused. Stop writing, and hand over: ", RELEASE];
      return [
        ...mail,
        ...(openNotes > 0 ? ["Read the open notes: ", { do: "list_notes" } as const, ". "] : []),
        "Work, then hand over: ",
        RELEASE,
      ];
    case "takeover_available":
      return [
        ...mail,
        ...(heard.reason === "host_silent" ? CAREFUL : []),
        "Take the stick over, and say why: ",
        takeover(turnId),
      ];
    case "closed":
      return reopening(caller, closedBy(heard));
    case "reservation_lost":
      // It has to queue again.
      return isFree(heard)
        ? [...mail, "The stick is free. Take it: ", { do: "wait_for_turn" }]
        : waitAgain(mail, { do: "wait_for_turn" });
    default: {
      if (heard.paused) return ["The room is paused: do not write. ", ...waitAgain(mail, againWith(claims))];
      if (claims) return waitAgain(mail, againWith(claims));
      const free = ["The stick is free. To write, take it: ", { do: "wait_for_turn" }, ". "] as const;
      return [...(isFree(heard) ? free : []), ...waitAgain(mail, againWith(claims))];
    }
  }
}

function againWith(claims: boolean): Step {
  return claims ? { do: "wait_for_turn" } : { do: "wait_for_turn", with: { claim: false } };
}

type Parts = readonly (string | Step)[];

function waitAgain(mail: Parts, again: Step): Parts {
  return [...(mail.length > 0 ? mail : ["Do work that needs no stick. "]), "Then wait again: ", again];
}

/** Whether nobody holds the stick, it is reserved for nobody, and an agent may take it. An answer with mail alone does not tell. */
export function isFree({ status, currentOwner, reservedFor = null, paused }: Heard): boolean {
  return status !== "messages" && !paused && currentOwner === undefined && reservedFor === null;
}

function closedBy({ closedBy: who = "A person", reason }: Heard): string {
  return reason === undefined ? who : `${who} (reason: ${quotedReason(reason)})`;
}

export const afterHandOver: Next = ["Before you write again, wait for your turn: ", { do: "wait_for_turn" }];

export const afterTakeover: Next = ["Work, then hand over: ", RELEASE];

export function takeover(turnId: number): Step {
  return { do: "takeover_stick", with: { expected_turn_id: turnId, reason: "WHY" } };
}

function mailFirst(brought: number, unread: number): Parts {
  const answer = brought > 0 ? ["Answer your mail. "] : [];
  if (unread === 0) return answer;
  return [...answer, brought > 0 ? "Read the rest: " : "Read your mail: ", { do: "read_my_messages" }, ". "];
}
