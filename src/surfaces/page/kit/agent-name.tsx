/** An agent's name with its colour. The colour helps to find it again; the name alone says who it is. */
import type { ReactNode } from "react";
import type { AgentId } from "../../../core/ids.ts";
import { oneLine } from "../../../core/visible.ts";
import type { RoomView } from "../page-context.ts";

interface AgentNameProps {
  readonly room: Pick<RoomView, "nameOf" | "picture">;
  /** Null: nobody, as in an event that time made. */
  readonly agentId: AgentId | null;
}

export function AgentName({ room, agentId }: AgentNameProps): ReactNode {
  if (agentId === null) return <span className="agent muted">nobody</span>;
  const isMe = agentId === room.picture.me;
  return (
    <span className="agent" title={oneLine(agentId)}>
      <span className={`agent-dot tone-${toneOf(agentId)}`} aria-hidden="true" />
      <span className="agent-name">{isMe ? "you" : room.nameOf(agentId)}</span>
    </span>
  );
}

const TONES = 8;

/** The same agent has the same colour in every room and view: one of the variables `--tone-0` to `--tone-7`. */
export function toneOf(agentId: string): number {
  let sum = 0;
  for (const character of agentId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % TONES;
}
