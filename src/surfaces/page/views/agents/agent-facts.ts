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

/** A line of the list: an agent, one of which the name alone is known, or how many agents the list leaves out. */
export type AgentLine =
  | ListedAgent
  | { readonly kind: "unlisted"; readonly agentId: AgentId }
  | { readonly kind: "more"; readonly agentId: null; readonly count: number };

type Listing = Pick<RoomPicture, "agents" | "folded">;

export function listedIn({ agents, folded }: Listing): readonly ListedAgent[] {
  const { gone, away } = folded;
  return [
    ...agents.map((row) => ({ kind: "here", agentId: row.agentId, row }) as const),
    ...gone.map((agent) => ({ kind: "gone", agentId: agent.agentId, folded: agent }) as const),
    ...away.map((agent) => ({ kind: "away", agentId: agent.agentId, folded: agent }) as const),
  ];
}

/** Null: it has left, or it is one of those that are not listed. */
export function findAgent(picture: Listing, agentId: string): ListedAgent | null {
  return listedIn(picture).find((listed) => listed.agentId === agentId) ?? null;
}

/** All agents of which the page knows at least the name, also those that have left. */
export function knownAgents({ names }: Pick<RoomPicture, "names">, events: readonly RoomEvent[]): ReadonlySet<AgentId> {
  const known = new Set(Object.keys(names) as AgentId[]);
  for (const { fromAgentId } of events) if (fromAgentId !== null) known.add(fromAgentId);
  return known;
}

/**
 * Without words, the list of the room. With words, each known agent that has them in its name or id, those of the list
 * first. `nameOf`: what the page calls an agent.
 */
export function agentLinesFor(
  picture: Listing,
  known: Iterable<AgentId>,
  words: string,
  nameOf: (agentId: AgentId) => string,
): readonly AgentLine[] {
  const wanted = words.trim().toLowerCase();
  const listed = listedIn(picture);
  const { notListed } = picture.folded;
  if (wanted === "")
    return [...listed, ...(notListed === 0 ? [] : [{ kind: "more", agentId: null, count: notListed } as const])];
  const isWanted = (agentId: AgentId) => [agentId, nameOf(agentId)].some((name) => name.toLowerCase().includes(wanted));
  const inList = new Set(listed.map(({ agentId }) => agentId));
  const others = [...known].filter((agentId) => !inList.has(agentId) && isWanted(agentId));
  return [
    ...listed.filter(({ agentId }) => isWanted(agentId)),
    ...others.map((agentId) => ({ kind: "unlisted", agentId }) as const),
  ];
}

/** The last event by which the agent came or went. Null: the loaded part of the log has none. */
export function lastMoveOf(events: readonly RoomEvent[], agentId: AgentId): RoomEvent | null {
  const isMove = ({ type, fromAgentId, toAgentId, payload }: RoomEvent) =>
    type === "kick"
      ? toAgentId === agentId
      : type === "session_superseded"
        ? payload.supersededAgentId === agentId
        : (type === "member_joined" || type === "member_left") && fromAgentId === agentId;
  return events.findLast(isMove) ?? null;
}

/** Whether an agent whose last move this was may still be a member. */
export function isMemberAfter(lastMove: RoomEvent | null): boolean {
  return lastMove === null || lastMove.type === "member_joined";
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
  // The mark has said so already.
  const facts = agentFacts(agent.row, picture, nowMs)
    .filter((fact) => fact !== words)
    .map((fact) => (fact.startsWith(`${words}: `) ? fact.slice(words.length + 2) : fact));
  return { sign: AGENT_MARKS[agent.row.mark], words, facts };
}

/** The class that colours its mark. The words beside it say the same. */
export function toneOf(agent: ListedAgent): string {
  if (agent.kind !== "here") return agent.kind === "gone" ? "tone-bad" : "";
  if (agent.row.mark === "needs_you") return "tone-accent";
  if (agent.row.mark === "silent") return "tone-warn";
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
export function waitersFor({ agents }: Pick<Listing, "agents">, agentId: AgentId): readonly WaitEdge[] {
  return agents.flatMap(({ waitsFor }) => waitsFor).filter(({ to }) => to === agentId);
}

/** The whole text of a message, if the page has loaded it. */
export function bodyOf(events: readonly RoomEvent[], messageId: EventId | undefined): string | null {
  const message = events.findLast((event) => event.eventId === messageId);
  return message?.type === "message_sent" ? message.payload.body : null;
}
