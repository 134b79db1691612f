/**
 * What the timeline shows, made of the log: a lane for each agent with its turns and marks, and the pauses. Pure.
 * Events stand at their own times. A clock that went back changes no order of the log, and it is a mark of its own.
 */
import type { RoomEvent } from "../../../../core/event.ts";
import type { AgentId } from "../../../../core/ids.ts";
import { wallMsOf } from "../../../../core/time.ts";
import { isAboutTurns, type TurnLine, turnsIn } from "../../../../turns/rules/turn-lines.ts";

export const MARK_KINDS = [
  ...(["takeover", "given", "kick", "foreign", "check", "paused", "resumed", "clock", "message"] as const),
];
export type MarkKind = (typeof MARK_KINDS)[number];

interface OnLane {
  /** The same in each timeline of the same log. */
  readonly key: string;
  readonly agentId: AgentId | null;
  readonly atMs: number;
}

export interface TurnBar extends OnLane {
  readonly kind: "turn";
  /** Null while the turn goes on. */
  readonly toMs: number | null;
  readonly line: TurnLine;
}

export interface TimelineMark extends OnLane {
  readonly kind: MarkKind;
  readonly event: RoomEvent;
  /** How far the clock went back; 0 for other marks. */
  readonly backMs: number;
}

export type TimelineItem = TurnBar | TimelineMark;

/** What is sorted is sorted by time, so that what a window shows is found without looking at the rest. */
export interface Lane {
  /** Null: what no agent did. */
  readonly agentId: AgentId | null;
  readonly bars: readonly TurnBar[];
  /** Of each bar, the latest end of it and those before it. */
  readonly latestEnds: readonly number[];
  readonly marks: readonly TimelineMark[];
}

export interface PauseBand {
  readonly fromMs: number;
  readonly toMs: number | null;
}

export interface Timeline {
  /** The agents that acted last come first. */
  readonly lanes: readonly Lane[];
  readonly laneOf: ReadonlyMap<AgentId | null, number>;
  readonly pauses: readonly PauseBand[];
  readonly items: readonly TimelineItem[];
  /** Null: there is nothing to show. */
  readonly extent: { readonly firstMs: number; readonly lastMs: number } | null;
}

/** Clocks of one machine differ by less between two processes. */
const CLOCK_BACK_MS = 1000;

export function timelineOf(events: readonly RoomEvent[]): Timeline {
  const times = timesOf(events);
  const bars = barsOf(events, times);
  const marks = marksOf(events, times);
  const lanes = lanesOf(bars, marks, lastActs(events));
  const items = [...bars, ...marks].toSorted(byTime);
  return {
    lanes,
    laneOf: new Map(lanes.map(({ agentId }, index) => [agentId, index])),
    pauses: pausesOf(events, times),
    items,
    extent: extentOf(times, bars),
  };
}

/** A time that cannot be read counts as that of the event before it. */
function timesOf(events: readonly RoomEvent[]): readonly number[] {
  const read = events.map(({ createdAt }) => wallMsOf(createdAt));
  let before = read.find(Number.isFinite) ?? 0;
  return read.map((atMs) => {
    if (Number.isFinite(atMs)) before = atMs;
    return before;
  });
}

function barsOf(events: readonly RoomEvent[], times: readonly number[]): readonly TurnBar[] {
  const firstMs = times[0] ?? 0;
  const timeOf = new Map(events.map(({ seq }, index) => [seq, times[index] ?? firstMs]));
  // Also leaves out what a newer program wrote.
  const lines = turnsIn(events.filter(isAboutTurns));
  const startOf = (line: TurnLine) => (line.startedAt === null ? null : (timeOf.get(line.firstSeq) ?? null));
  return lines.map((line, index) => {
    const { turnId, agentId, lastSeq } = line;
    const atMs = startOf(line) ?? firstMs;
    const next = lines[index + 1];
    const endMs = (lastSeq === null ? null : timeOf.get(lastSeq)) ?? (next === undefined ? null : startOf(next));
    const toMs = endMs === null ? null : Math.max(atMs, endMs);
    return { kind: "turn", key: `turn:${turnId}`, agentId, atMs, toMs, line };
  });
}

function marksOf(events: readonly RoomEvent[], times: readonly number[]): readonly TimelineMark[] {
  return events.flatMap((event, index) => {
    const atMs = times[index] ?? 0;
    const backMs = (times[index - 1] ?? atMs) - atMs;
    const mark = { event, atMs, backMs: 0 };
    const found: TimelineMark[] = [];
    if (backMs > CLOCK_BACK_MS) {
      found.push({ ...mark, kind: "clock", key: `clock:${event.seq}`, agentId: null, backMs });
    }
    const kind = markKindOf(event);
    if (kind !== null) found.push({ ...mark, kind, key: `seq:${event.seq}`, agentId: laneAgentOf(event) });
    return found;
  });
}

const MARKED: Readonly<Partial<Record<RoomEvent["type"], MarkKind>>> = {
  takeover: "takeover",
  given: "given",
  kick: "kick",
  foreign_write: "foreign",
  paused: "paused",
  resumed: "resumed",
  message_sent: "message",
};

function markKindOf(event: RoomEvent): MarkKind | null {
  if (event.type === "check_run") return event.payload.exitCode === 0 ? null : "check";
  return Object.hasOwn(MARKED, event.type) ? (MARKED[event.type] ?? null) : null;
}

/** Of what a person did to an agent, the agent: that is where a reader looks for it. */
function laneAgentOf({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  return type === "given" || type === "kick" ? toAgentId : fromAgentId;
}

function lastActs(events: readonly RoomEvent[]): ReadonlyMap<AgentId | null, number> {
  return new Map(events.map(({ fromAgentId, seq }) => [fromAgentId, seq]));
}

function lanesOf(
  bars: readonly TurnBar[],
  marks: readonly TimelineMark[],
  lastActOf: ReadonlyMap<AgentId | null, number>,
): readonly Lane[] {
  const lanes = new Map<AgentId | null, { bars: TurnBar[]; marks: TimelineMark[] }>();
  const laneFor = (agentId: AgentId | null) => {
    const lane = lanes.get(agentId) ?? { bars: [], marks: [] };
    lanes.set(agentId, lane);
    return lane;
  };
  for (const bar of bars) laneFor(bar.agentId).bars.push(bar);
  for (const mark of marks) laneFor(mark.agentId).marks.push(mark);
  const rank = (agentId: AgentId | null) => (agentId === null ? -2 : (lastActOf.get(agentId) ?? -1));
  return [...lanes]
    .toSorted(([one], [other]) => rank(other) - rank(one))
    .map(([agentId, lane]) => {
      const sorted = lane.bars.toSorted(byTime);
      return { agentId, bars: sorted, latestEnds: latestEndsOf(sorted), marks: lane.marks.toSorted(byTime) };
    });
}

function latestEndsOf(bars: readonly TurnBar[]): readonly number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return bars.map(({ toMs }) => {
    latest = Math.max(latest, toMs ?? Number.POSITIVE_INFINITY);
    return latest;
  });
}

function pausesOf(events: readonly RoomEvent[], times: readonly number[]): readonly PauseBand[] {
  const bands: PauseBand[] = [];
  let fromMs: number | null = null;
  for (const [index, { type }] of events.entries()) {
    const atMs = times[index] ?? 0;
    if (type === "paused") fromMs ??= atMs;
    // A log that begins while the room is paused knows only the end.
    if (type === "resumed") bands.push({ fromMs: fromMs ?? times[0] ?? atMs, toMs: atMs });
    if (type === "resumed") fromMs = null;
  }
  return fromMs === null ? bands : [...bands, { fromMs, toMs: null }];
}

function extentOf(times: readonly number[], bars: readonly TurnBar[]): Timeline["extent"] {
  if (times.length === 0) return null;
  const extent = { firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY };
  for (const atMs of [...times, ...bars.map((bar) => bar.atMs)]) {
    extent.firstMs = Math.min(extent.firstMs, atMs);
    extent.lastMs = Math.max(extent.lastMs, atMs);
  }
  return extent;
}

function byTime(one: TimelineItem, other: TimelineItem): number {
  return one.atMs - other.atMs || seqOf(one) - seqOf(other);
}

function seqOf(item: TimelineItem): number {
  return item.kind === "turn" ? item.line.firstSeq : item.event.seq;
}
