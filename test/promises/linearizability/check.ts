/**
 * The checker: whether a recorded history can be explained by a room with one stick in which everything happens
 * one after the other, in the order of its log, and no operation happens before it was asked for or after it
 * was answered. It shares no code with what it checks.
 */
import { attribute, byAgent, isSeenInRoom } from "./attribution.ts";
import { Bounds } from "./bounds.ts";
import type { Finding } from "./finding.ts";
import { Grounds } from "./grounds.ts";
import type { History } from "./history.ts";
import { Leases } from "./leases.ts";
import { payloadOf } from "./model.ts";
import { describe } from "./operation.ts";
import { checkOrder } from "./order.ts";
import { Timeline } from "./timeline.ts";

export function check(history: History): Finding[] {
  const { log, operations } = history;
  const timeline = new Timeline(log);
  const attribution = attribute(log, operations);
  const bounds = new Bounds(log.length, attribution);
  const leases = new Leases(operations);
  const grounds = new Grounds(history, timeline, bounds);
  return [
    ...timeline.findings,
    ...attribution.findings,
    ...leases.findings,
    ...grounds.findings(),
    ...checkOrder(operations, attribution, bounds, { timeline, leases, grounds }),
    ...returns(history, bounds),
    ...seenEvents(history),
    ...finalState(history, timeline),
    ...crashed(history),
  ];
}

/** An agent that came back after a long silence did so by one of its own operations. */
function returns({ log, operations }: History, bounds: Bounds): Finding[] {
  const own = byAgent(operations.filter(isSeenInRoom));
  return log
    .filter((event) => event.eventType === "member_joined" && payloadOf(event).reason === "returned")
    .filter(({ eventSeq, fromAgentId }) => {
      const [from, to] = [bounds.earliest(eventSeq), bounds.latest(eventSeq)];
      return !own.get(fromAgentId ?? "")?.some(({ invokedAt, answeredAt }) => invokedAt <= to && answeredAt >= from);
    })
    .map((event) => ({ rule: "outcome", text: `nobody did event ${event.eventSeq}: ${event.fromAgentId} returned` }));
}

/** An agent that read the log read what the log still says, without a gap. */
function seenEvents({ log, operations }: History): Finding[] {
  const findings: Finding[] = [];
  for (const operation of operations) {
    const { answer, request } = operation;
    if (answer?.is !== "events") continue;
    const known = answer.events.every(([seq, eventId]) => log[seq - 1]?.eventId === eventId);
    const first = answer.events[0]?.[0];
    const after = request.kind === "events" ? request.after : null;
    const starts = after === null || first === undefined || first === after + 1;
    const whole = request.kind === "watch" || answer.events.every(([seq], index) => seq === (first as number) + index);
    if (!known || !starts || !whole) {
      findings.push({ rule: "sight", text: `the log says otherwise: ${describe(operation)}` });
    }
  }
  return findings;
}

function finalState({ final }: History, timeline: Timeline): Finding[] {
  const room = timeline.at(timeline.end);
  const same =
    final.turnId === room.turnId &&
    final.owner === room.owner &&
    final.reservedFor === room.reservedFor &&
    final.memberCount === room.memberCount;
  if (same) return [];
  return [{ rule: "sight", text: `the log ends in ${JSON.stringify(room)}, the room in ${JSON.stringify(final)}` }];
}

function crashed({ operations, crashes }: History): Finding[] {
  const broken = operations.filter(
    ({ answer }) => answer?.is === "crash" || (answer?.is === "fault" && answer.code === "store_corrupt"),
  );
  return [...crashes, ...broken.map(describe)].map((text) => ({ rule: "crash", text }));
}
