/** Which question an answer without an id answers. A guess could tell an agent a thing that was meant for another. */
import type { AgentId, EventId, Handle } from "../../core/ids.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { oneLine } from "../../core/visible.ts";

/** A question to the caller that it has not answered. */
export interface OpenQuestion {
  readonly messageId: EventId;
  readonly from: AgentId;
  readonly handle: Handle | null;
  readonly body: string;
  readonly createdAt: string;
  /** Its asker's call still waits for the answer. */
  readonly isWaitedFor: boolean;
  /** Its asker has left, or its process is gone. */
  readonly isAskerGone: boolean;
}

/** A question that nobody will read the answer to is not open any more. */
export function isOpen({ isWaitedFor, isAskerGone }: OpenQuestion): boolean {
  return isWaitedFor || !isAskerGone;
}

export function onlyQuestion(
  questions: readonly OpenQuestion[],
): OpenQuestion | Refusal<"message_not_found" | "ambiguous_id"> {
  const open = questions.filter(isOpen);
  const [only, ...others] = open;
  if (!only)
    return refuse("message_not_found", "Nobody has an open question to you.", [
      "To answer another message, name it: ",
      { do: "reply_to_message" },
    ]);
  if (others.length === 0) return only;
  return refuse(
    "ambiguous_id",
    `${open.length} questions wait for your answer. Nothing was sent.`,
    ["Name the one that you answer: ", { do: "reply_to_message" }],
    {
      candidates: open.map(({ messageId }) => messageId),
      questions: open.map(({ messageId, from, handle, body }) => ({
        message_id: messageId,
        from,
        handle: handle ?? from,
        body: oneLine(body),
      })),
    },
  );
}
