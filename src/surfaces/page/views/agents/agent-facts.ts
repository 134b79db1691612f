/** What the page knows of one agent: where the picture lists it, and what the log tells. Pure. */
import type { EventOf, RoomEvent } from "../../../../core/event.ts";
import type { AgentId, EventId } from "../../../../core/ids.ts";
import type { RoomPicture } from "../../../../peers/rules/picture.ts";
import type { AgentRow, FoldedAgent } from "../../../../peers/rules/picture-agents.ts";
import type { Reason, WaitEdge } from "../../../../peers/rules/wait-graph.ts";
import { type TurnLine, turnsIn } from "../../../../turns/rules/turn-lines.ts";
import { AGENT_MARKS, agentFacts, leftBehind, MARK_WORDS } from "../../../picture/agent-words.ts";

export type ListedAgent =
  | { readonly kind: "here"; readonly agentId: AgentId; readonly row: AgentRow }
  | { readonly kind: "gone" | "away"; readonly agentId: AgentId; readonly folded: FoldedAgent };

/** A line of the list: an agent, or how many agents the list leaves out. */
export type AgentLine = ListedAgent | { readonly kind: "more"; readonly agentId: null; readonly count: number };

export function agentLinesOf({ agents, folded }: Pick<RoomPicture, "agents" | "folded">): readonly AgentLine[] {
  const { gone, away, notListed } = folded;
  return [
    ...agents.map((row) => ({ kind: "here", agentId: row.agentId, row }) as const),
    ...gone.map((agent) => ({ kind: "gone", agentId: agent.agentId, folded: agent }) as const),
    ...away.map((agent) => ({ kind: "away", agentId: agent.agentId, folded: agent }) as const),
    ...(notListed === 0 ? [] : [{ kind: "more", agentId: null, count: notListed } as const]),
  ];
}

/** Null: it has left, or it is one of those that are not listed. */
export function findAgent(picture: Pick<RoomPicture, "agents" | "folded">, agentId: string): ListedAgent | null {
  const found = agentLinesOf(picture).find((line) => line.agentId === agentId);
  return found === undefined || found.kind === "more" ? null : found;
}

export interface AgentStanding {
  readonly sign: string;
  readonly words: string;
  /** What else there is to say beside its name. */
  readonly facts: readonly string[];
}

export function standingOf(agent: ListedAgent, picture: RoomPicture, nowMs: number): AgentStanding {
  if (agent.kind !== "here") {
    return { sign: agent.kind === "gone" ? "✗" : "○", words: agent.kind, facts: leftBehind(agent.folded) };
  }
  const words = MARK_WORDS[agent.row.mark];
  const facts = agentFacts(agent.row, picture, nowMs).filter((fact) => fact !== words);
  return { sign: AGENT_MARKS[agent.row.mark], words, facts };
}

/** The class that colours its mark. The words beside it say the same. */
export function toneOf(agent: ListedAgent): string {
  if (agent.kind !== "here") return agent.kind === "gone" ? "tone-bad" : "";
  if (agent.row.mark === "needs_you") return "tone-accent";
  return agent.row.mark === "works" ? "tone-good" : "";
}

/** The newest first. */
export function turnsOf(events: readonly RoomEvent[], agentId: AgentId): readonly TurnLine[] {
  return turnsIn(events)
    .filter((turn) => turn.agentId === agentId)
    .toReversed();
}

/** What it wrote without the stick, the newest first. */
export function foreignWritesOf(events: readonly RoomEvent[], agentId: AgentId): readonly EventOf<"foreign_write">[] {
  return events
    .filter((event) => event.type === "foreign_write")
    .filter((event) => event.fromAgentId === agentId)
    .toReversed();
}

/** Whether the reason that nobody moves, or that all is well, names the agent. */
export function isReasonAbout(reason: Reason, agentId: AgentId): boolean {
  const named = reason.kind === "circle" ? reason.edges.flatMap(({ from, to }) => [from, to]) : Object.values(reason);
  return named.flat().includes(agentId);
}

/** The agents that wait for this one. */
export function waitersFor({ agents }: Pick<RoomPicture, "agents">, agentId: AgentId): readonly WaitEdge[] {
  return agents.flatMap(({ waitsFor }) => waitsFor).filter(({ to }) => to === agentId);
}

/** The whole text of a message, if the page has loaded it. */
export function bodyOf(events: readonly RoomEvent[], messageId: EventId | undefined): string | null {
  const message = events.findLast((event) => event.eventId === messageId);
  return message?.type === "message_sent" ? message.payload.body : null;
}
