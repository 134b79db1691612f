/** The command that ends a reason why nobody moves, as its reader can give it. */
import type { AgentId, EventId } from "../../core/ids.ts";
import { unreachable } from "../../core/invariant.ts";
import type { Step } from "../../core/next.ts";
import type { Reason, WaitEdge } from "./wait-graph.ts";

/** The operations that a way on may be. */
export interface WayStep extends Step {
  readonly do:
    | "join_path"
    | "wait_for_turn"
    | "release_stick"
    | "takeover_stick"
    | "give_stick"
    | "resume_room"
    | "request_stick"
    | "send_message"
    | "read_my_messages"
    | "reply_to_message";
}

export interface Reader {
  readonly agentId: AgentId | null;
  readonly isPerson: boolean;
}

/** What the way on depends on besides the reason. */
export interface WayFacts {
  readonly turnId: number;
  readonly isPaused: boolean;
  /** Questions that their recipients have read. An unread one is read first. */
  readonly readQuestions: ReadonlySet<EventId>;
  readonly nameOf: (agentId: AgentId) => string;
}

/** Null if the reader can do nothing about it, or need not. */
export function wayOn(reason: Reason, reader: Reader, standing: WayFacts): WayStep | null {
  const isMe = (agentId: AgentId) => agentId === reader.agentId;
  switch (reason.kind) {
    case "closed":
      // An agent asks the person it works for first.
      return reader.isPerson ? { do: "join_path" } : null;
    case "question":
    case "unanswered":
      return isMe(reason.person) ? answer(reason.messageId, standing) : null;
    case "permission":
      // Only its own terminal takes the answer.
      return null;
    case "circle":
      return outOf(reason.edges, reader, standing);
    case "holder_gone":
    case "holder_silent":
    case "lease_expired":
      if (isMe(reason.holder)) return { do: "release_stick" };
      return standing.isPaused && !reader.isPerson ? null : takeover(standing);
    case "reserved_gone":
      if (standing.isPaused) return reader.isPerson ? giveTo(reason.waiting[0]) : null;
      return { do: "wait_for_turn", with: { max_wait_ms: 0 } };
    case "asked_gone": {
      const { asker, asked } = reason;
      const body = `${standing.nameOf(asked)} is gone and will not answer you.`;
      return isMe(asker) ? null : { do: "send_message", with: { to: asker, body } };
    }
    case "asked_silent": {
      const { asker, asked } = reason;
      const body = `The machine of ${standing.nameOf(asked)} is silent. It may not answer you.`;
      return isMe(asker) ? null : { do: "send_message", with: { to: asker, body } };
    }
    case "paused":
      return reader.isPerson ? { do: "resume_room" } : null;
    case "holder_idle":
      return isMe(reason.holder) ? { do: "release_stick" } : request(reason.waiting, reader, standing);
    case "asked_idle": {
      const { asker, asked, messageId } = reason;
      if (isMe(asked)) return answer(messageId, standing);
      const body = `${standing.nameOf(asker)} waits for your answer.`;
      return isMe(asker) ? null : { do: "send_message", with: { to: asked, body } };
    }
    case "reserved": {
      const [next] = reason.waiting;
      if (isMe(reason.agent)) return { do: "wait_for_turn" };
      return reader.isPerson && next !== undefined ? giveTo(next) : null;
    }
    case "held":
      return isMe(reason.holder) && reason.waiting.length > 0 ? { do: "release_stick" } : null;
    case "free":
      return { do: "wait_for_turn", with: { max_wait_ms: 0 } };
    default:
      return unreachable(reason);
  }
}

/** Who is in the circle can leave it: the asked agent answers, the holder releases. Others ask the holder. */
function outOf(circle: readonly WaitEdge[], reader: Reader, standing: WayFacts): WayStep | null {
  const asked = circle.find(({ to, awaits }) => awaits === "answer" && to !== null && to === reader.agentId);
  if (asked?.messageId !== undefined) return answer(asked.messageId, standing);
  const stick = circle.find(({ awaits }) => awaits === "stick");
  if (stick) {
    if (stick.to === reader.agentId) return { do: "release_stick" };
    return request([stick.from], reader, standing);
  }
  const reservation = circle.find(({ awaits }) => awaits === "reservation");
  if (reservation?.to) {
    if (reader.isPerson) return giveTo(reservation.from);
    if (reservation.to === reader.agentId) return standing.isPaused ? null : { do: "wait_for_turn" };
    const body = `${standing.nameOf(reservation.from)} waits for the stick that is reserved for you.`;
    return { do: "send_message", with: { to: reservation.to, body } };
  }
  const [first] = circle;
  if (!first?.to || first.to === reader.agentId) return null;
  return { do: "send_message", with: { to: first.to, body: `${standing.nameOf(first.from)} waits for your answer.` } };
}

function answer(messageId: EventId, { readQuestions }: WayFacts): WayStep {
  if (!readQuestions.has(messageId)) return { do: "read_my_messages" };
  return { do: "reply_to_message", with: { message_id: messageId } };
}

function takeover({ turnId }: WayFacts): WayStep {
  return { do: "takeover_stick", with: { expected_turn_id: turnId } };
}

function giveTo(agentId: AgentId | undefined): WayStep | null {
  return agentId === undefined ? null : { do: "give_stick", with: { to_agent_id: agentId } };
}

/** A person asks in the name of the waiter, a waiter in its own. */
function request(waiting: readonly AgentId[], reader: Reader, { nameOf }: WayFacts): WayStep {
  const [waiter] = waiting;
  const isOwn = waiter === undefined || waiter === reader.agentId;
  const why = isOwn
    ? "I wait for the stick. Release it if you can."
    : `${nameOf(waiter)} waits for the stick. Release it if you can.`;
  return { do: "request_stick", with: { why } };
}
