/** The wait graph of a room, from what is known about it and its members. */
import { isPersonsName } from "../../core/agent-id.ts";
import type { AgentId } from "../../core/ids.ts";
import { hasPassed } from "../../core/time.ts";
import { alivenessIn, isWaitingNow, leaseHasExpired, reservationDeadline } from "../../room/rules/liveness.ts";
import { waitingInOrder } from "../../room/rules/queue.ts";
import type { PictureFacts } from "./picture.ts";
import type { Fate, WaitEdge, WaitGraph } from "./wait-graph.ts";

type GraphFacts = Pick<
  PictureFacts,
  "room" | "given" | "machineOf" | "asks" | "leftQuestions" | "activities" | "sessions"
>;

export function graphOf(facts: GraphFacts): WaitGraph {
  const { room, given, asks, leftQuestions, activities } = facts;
  const { owner: holder, reservation, members, status, paused } = room.state;
  // The next call ends a reservation that has expired.
  const claimEnd = reservationDeadline(room);
  const hasExpired = claimEnd !== null && hasPassed(claimEnd, given.moment.instant);
  const reservedFor = hasExpired ? null : (reservation?.agentId ?? null);
  const queue = waitingInOrder(room, given);
  // The others keep a place only: they may do something else.
  const waiters = queue.filter((agentId) => isWaitingNow(room, agentId, given));
  const fates = new Map([...members.keys()].map((agentId) => [agentId, fateOf(facts, agentId)]));
  const forStick = (to: AgentId, awaits: "stick" | "reservation"): readonly WaitEdge[] =>
    waiters.filter((from) => from !== to).map((from) => ({ from, to, awaits }));
  // An agent that is gone waits for nothing, though a command of it may still run.
  const isGone = (agentId: AgentId) => fates.get(agentId) === "gone";
  const asked = asks.filter(({ asker }) => !isGone(asker));
  const prompted = [...activities].filter(([agentId, { asksUser }]) => asksUser && !isGone(agentId));
  return {
    fates,
    edges: [
      ...asked.map(({ asker: from, peer: to, requestId: messageId }) => ({
        from,
        to,
        awaits: "answer" as const,
        messageId,
      })),
      ...prompted.map(([from]) => ({ from, to: null, awaits: "permission" as const })),
      ...(holder === null ? [] : forStick(holder, "stick")),
      ...(reservedFor === null ? [] : forStick(reservedFor, "reservation")),
    ],
    leftQuestions: leftQuestions.filter(({ asker }) => fates.has(asker) && !isGone(asker)),
    isClosed: status === "closed",
    holder,
    leaseHasExpired: leaseHasExpired(room, given),
    reservedFor,
    queue,
    paused,
  };
}

/** What hooks told is believed of a session that lives. A person tells nothing. */
export function fateOf(
  { room, given, machineOf, activities, sessions }: Omit<GraphFacts, "asks" | "leftQuestions">,
  agentId: AgentId,
): Fate {
  const { isGone, hostSilentMs } = alivenessIn(room, agentId, given);
  if (isGone) return "gone";
  // Of a holder it counts what makes a takeover possible.
  const isSilent = agentId === room.state.owner ? hostSilentMs !== null : machineOf(agentId)?.silentSince;
  if (isSilent) return "silent";
  if (isPersonsName(agentId)) return "unknown";
  const { state } = activities.get(agentId) ?? sessions.get(agentId)?.activity ?? { state: "unknown" };
  return state === "busy" ? "works" : state;
}
