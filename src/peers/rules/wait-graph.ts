/** Who waits for what in a room, and why nobody moves: the first of the reasons below that the graph shows. */
import { isPersonsName } from "../../core/agent-id.ts";
import type { AgentId, EventId } from "../../core/ids.ts";
import type { Pause } from "../../room/rules/room.ts";

/** `permission`: its harness asks its user at its own terminal, mostly for a permission, or has a dialog open there. */
export type AwaitedThing = "stick" | "reservation" | "answer" | "permission";

export interface WaitEdge {
  readonly from: AgentId;
  /** Null for a permission: the harness does not say which person it asks. */
  readonly to: AgentId | null;
  readonly awaits: AwaitedThing;
  /** The question, if an answer is awaited. */
  readonly messageId?: EventId;
}

/**
 * `gone`: its process is proven gone. `silent`: its machine was not heard of. `idle`: its harness or its hooks say that it
 * does nothing.
 */
export type Fate = "works" | "idle" | "unknown" | "gone" | "silent";

/** A question to a person whose asker no longer waits, and which still has no answer. */
export interface LeftQuestion {
  readonly asker: AgentId;
  readonly person: AgentId;
  readonly messageId: EventId;
}

export interface WaitGraph {
  readonly fates: ReadonlyMap<AgentId, Fate>;
  readonly edges: readonly WaitEdge[];
  /** The oldest first. */
  readonly leftQuestions: readonly LeftQuestion[];
  readonly isClosed: boolean;
  readonly holder: AgentId | null;
  readonly leaseHasExpired: boolean;
  readonly reservedFor: AgentId | null;
  /** Waiters for the stick, the next one first. */
  readonly queue: readonly AgentId[];
  readonly paused: Pause | null;
}

/** In the order in which they count. `waiting` are the waiters for the stick. */
export type Reason =
  | { readonly kind: "closed" }
  /** Agents wait for a person. `others`: how many more wait for one. */
  | {
      readonly kind: "question";
      readonly asker: AgentId;
      readonly person: AgentId;
      readonly messageId: EventId;
      readonly others: number;
    }
  | { readonly kind: "permission"; readonly agent: AgentId; readonly others: number }
  /** Each waits for the next one, and the last for the first. */
  | { readonly kind: "circle"; readonly edges: readonly WaitEdge[] }
  | { readonly kind: "holder_gone"; readonly holder: AgentId; readonly waiting: readonly AgentId[] }
  | { readonly kind: "reserved_gone"; readonly agent: AgentId; readonly waiting: readonly AgentId[] }
  | { readonly kind: "asked_gone"; readonly asker: AgentId; readonly asked: AgentId }
  | ({ readonly kind: "paused" } & Pause)
  | { readonly kind: "holder_silent"; readonly holder: AgentId; readonly waiting: readonly AgentId[] }
  | { readonly kind: "lease_expired"; readonly holder: AgentId; readonly waiting: readonly AgentId[] }
  | { readonly kind: "asked_silent"; readonly asker: AgentId; readonly asked: AgentId }
  | { readonly kind: "holder_idle"; readonly holder: AgentId; readonly waiting: readonly AgentId[] }
  | { readonly kind: "asked_idle"; readonly asker: AgentId; readonly asked: AgentId; readonly messageId: EventId }
  /** From here on nobody is stuck. */
  | ({ readonly kind: "unanswered" } & LeftQuestion)
  | { readonly kind: "reserved"; readonly agent: AgentId; readonly waiting: readonly AgentId[] }
  | {
      readonly kind: "held";
      readonly holder: AgentId;
      readonly waiting: readonly AgentId[];
      /** The agent whose answer the holder awaits. */
      readonly asked: AgentId | null;
    }
  | { readonly kind: "free"; readonly waiting: readonly AgentId[] };

const MOVING: readonly Reason["kind"][] = ["closed", "unanswered", "reserved", "held", "free"];

/** Whether the reason keeps an agent from going on, and nothing but an act ends it. */
export function isStuck({ kind }: Reason): boolean {
  return !MOVING.includes(kind);
}

/** `reader`: a question to this person comes before those to others. */
export function reasonIn(graph: WaitGraph, reader: AgentId | null): Reason {
  if (graph.isClosed) return { kind: "closed" };
  return (
    needsPerson(graph, reader) ??
    circleIn(graph.edges) ??
    waitsForGone(graph) ??
    (graph.paused && { kind: "paused", ...graph.paused }) ??
    waitsForQuiet(graph) ??
    unanswered(graph) ??
    normal(graph)
  );
}

function needsPerson({ edges }: WaitGraph, reader: AgentId | null): Reason | null {
  const toPerson = edges.filter(({ to, awaits }) => awaits === "permission" || isQuestionTo(to, awaits));
  const first = toPerson.find(({ to }) => to !== null && to === reader) ?? toPerson[0];
  if (!first) return null;
  const others = new Set(toPerson.map(({ from }) => from)).size - 1;
  const { from, to, messageId } = first;
  if (to === null || messageId === undefined) return { kind: "permission", agent: from, others };
  return { kind: "question", asker: from, person: to, messageId, others };
}

function isQuestionTo(to: AgentId | null, awaits: AwaitedThing): boolean {
  return awaits === "answer" && to !== null && isPersonsName(to);
}

/** A walk along the edges that comes back to where it began. */
export function circleIn(edges: readonly WaitEdge[]): (Reason & { readonly kind: "circle" }) | null {
  const leaving = new Map<AgentId, WaitEdge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
  const done = new Set<AgentId>();
  const walk = (agent: AgentId, path: readonly WaitEdge[]): readonly WaitEdge[] | null => {
    const start = path.findIndex(({ from }) => from === agent);
    if (start >= 0) return path.slice(start);
    if (done.has(agent)) return null;
    for (const edge of leaving.get(agent) ?? []) {
      const circle = edge.to === null ? null : walk(edge.to, [...path, edge]);
      if (circle) return circle;
    }
    done.add(agent);
    return null;
  };
  for (const agent of leaving.keys()) {
    const circle = walk(agent, []);
    if (circle) return { kind: "circle", edges: fromHolder(circle) };
  }
  return null;
}

/** A sentence about a circle begins with the agent that has the stick, if there is one. */
function fromHolder(circle: readonly WaitEdge[]): readonly WaitEdge[] {
  const owned = circle.find(({ awaits }) => awaits === "stick" || awaits === "reservation");
  const start = Math.max(
    0,
    circle.findIndex(({ from }) => from === owned?.to),
  );
  return [...circle.slice(start), ...circle.slice(0, start)];
}

function waitsForGone({ fates, edges, holder, reservedFor, queue }: WaitGraph): Reason | null {
  const isGone = (agent: AgentId | null) => agent !== null && fates.get(agent) === "gone";
  if (holder !== null && isGone(holder)) return { kind: "holder_gone", holder, waiting: queue };
  if (reservedFor !== null && isGone(reservedFor)) {
    return { kind: "reserved_gone", agent: reservedFor, waiting: without(queue, reservedFor) };
  }
  const asks = edges.find(({ awaits, to }) => awaits === "answer" && isGone(to));
  return asks?.to ? { kind: "asked_gone", asker: asks.from, asked: asks.to } : null;
}

function waitsForQuiet({ fates, edges, holder, leaseHasExpired, queue }: WaitGraph): Reason | null {
  const isSilent = (agent: AgentId | null) => agent !== null && fates.get(agent) === "silent";
  if (holder !== null && isSilent(holder)) return { kind: "holder_silent", holder, waiting: queue };
  if (holder !== null && leaseHasExpired) return { kind: "lease_expired", holder, waiting: queue };
  const asksSilent = edges.find(({ awaits, to }) => awaits === "answer" && isSilent(to));
  if (asksSilent?.to) return { kind: "asked_silent", asker: asksSilent.from, asked: asksSilent.to };
  const isIdle = (agent: AgentId | null) => agent !== null && fates.get(agent) === "idle";
  // A holder that waits for an answer is idle for that reason.
  const asks = holder !== null && edges.some(({ from, awaits }) => from === holder && awaits === "answer");
  if (holder !== null && isIdle(holder) && !asks && queue.length > 0) {
    return { kind: "holder_idle", holder, waiting: queue };
  }
  const ask = edges.find(({ awaits, to }) => awaits === "answer" && isIdle(to));
  if (!ask?.to || ask.messageId === undefined) return null;
  return { kind: "asked_idle", asker: ask.from, asked: ask.to, messageId: ask.messageId };
}

function unanswered({ leftQuestions: [question] }: WaitGraph): Reason | null {
  return question ? { kind: "unanswered", ...question } : null;
}

function normal({ edges, holder, reservedFor, queue }: WaitGraph): Reason {
  if (reservedFor !== null) return { kind: "reserved", agent: reservedFor, waiting: without(queue, reservedFor) };
  if (holder === null) return { kind: "free", waiting: queue };
  const asked = edges.find(({ from, awaits }) => from === holder && awaits === "answer")?.to ?? null;
  return { kind: "held", holder, waiting: queue, asked };
}

function without(queue: readonly AgentId[], agent: AgentId): readonly AgentId[] {
  return queue.filter((other) => other !== agent);
}
