/** What was said while a turn went on. */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { cutTo } from "../../core/visible.ts";
import type { TurnLine } from "./turn-lines.ts";

export interface TurnMessage {
  readonly eventSeq: number;
  readonly fromAgentId: AgentId | null;
  /** Null: to the room. */
  readonly toAgentId: AgentId | null;
  readonly createdAt: string;
  /** The first line. */
  readonly preview: string;
}

const PREVIEW_CHARACTERS = 200;
const MOST_MESSAGES = 50;

/** The newest of them, the oldest first. */
export function messagesOf(
  { firstSeq, lastSeq }: Pick<TurnLine, "firstSeq" | "lastSeq">,
  events: readonly RoomEvent[],
): readonly TurnMessage[] {
  return events
    .flatMap((event) => {
      const isWithin = event.seq >= firstSeq && (lastSeq === null || event.seq < lastSeq);
      if (event.type !== "message_sent" || !isWithin) return [];
      const { seq: eventSeq, fromAgentId, toAgentId, createdAt, payload } = event;
      const [first = ""] = payload.body.split("\n", 1);
      return [{ eventSeq, fromAgentId, toAgentId, createdAt, preview: cutTo(first, PREVIEW_CHARACTERS) }];
    })
    .slice(-MOST_MESSAGES);
}
