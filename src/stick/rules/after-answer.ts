/** What an agent may do after each answer about the stick. */
import type { Next, Step } from "../../core/next.ts";

interface Heard {
  readonly status: string;
  readonly turnId?: number;
  readonly unread?: number;
  readonly openNotes?: number;
  readonly messages?: readonly unknown[];
}

const RELEASE: Step = { do: "release_stick" };

/** `claims`: whether the caller waits for the stick, or only listens. */
export function afterWait(
  { status, turnId = 0, unread = 0, openNotes = 0, messages = [] }: Heard,
  claims: boolean,
): Next {
  const mail = mailFirst(messages.length, unread);
  switch (status) {
    case "your_turn":
      return [
        ...mail,
        ...(openNotes > 0 ? ["Read the open notes: ", { do: "list_notes" } as const, ". "] : []),
        "Work, then hand over: ",
        RELEASE,
      ];
    case "takeover_available":
      return [...mail, "Take the stick over, and say why: ", takeover(turnId)];
    case "closed":
      return ["Join the room to reopen it: ", { do: "join_path" }];
    default: {
      // One whose reservation is lost has to queue again.
      const again = claims || status === "reservation_lost" ? {} : { with: { claim: false } };
      const meanwhile = mail.length > 0 ? mail : ["Do work that needs no stick. "];
      return [...meanwhile, "Then wait again: ", { do: "wait_for_turn", ...again }];
    }
  }
}

export const afterHandOver: Next = ["Before you write again, wait for your turn: ", { do: "wait_for_turn" }];

export const afterTakeover: Next = ["Work, then hand over: ", RELEASE];

export function takeover(turnId: number): Step {
  return { do: "takeover_stick", with: { expected_turn_id: turnId, reason: "WHY" } };
}

function mailFirst(brought: number, unread: number): readonly (string | Step)[] {
  const answer = brought > 0 ? ["Answer your mail. "] : [];
  if (unread === 0) return answer;
  return [...answer, brought > 0 ? "Read the rest: " : "Read your mail: ", { do: "read_my_messages" }, ". "];
}
