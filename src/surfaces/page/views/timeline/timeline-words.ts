/** What is on the timeline in words, and where it leads. Pure. */
import { clockOf, span, wallMsOf } from "../../../../core/time.ts";
import { cutTo, oneLine } from "../../../../core/visible.ts";
import { happeningWords, readersName, type WordsReader } from "../../../picture/happening-words.ts";
import { TURN_ENDED } from "../../../picture/turn-words.ts";
import type { PagePlace } from "../../place.ts";
import type { TimelineItem, TimelineMark, TurnBar } from "./timeline-items.ts";

const MOST_CHARACTERS = 240;

/** One line, without its time. */
export function itemWords(item: TimelineItem, reader: WordsReader, nowMs: number): string {
  const words = item.kind === "turn" ? turnWords(item, reader, nowMs) : markWords(item, reader);
  return cutTo(oneLine(words), MOST_CHARACTERS);
}

function turnWords({ line, toMs }: TurnBar, reader: WordsReader, nowMs: number): string {
  const { turnId, agentId, startedAt, ended, endedBy } = line;
  const who = agentId === null ? "an agent that the log does not name" : readersName(agentId, reader);
  const from = startedAt === null ? null : wallMsOf(startedAt);
  const length = from === null ? "" : `, ${span((toMs ?? Math.max(nowMs, from)) - from)}`;
  const by = endedBy === null || endedBy === agentId ? "" : ` by ${readersName(endedBy, reader)}`;
  const how = ended === null ? (toMs === null ? ", goes on" : "") : `, ${TURN_ENDED[ended]}${by}`;
  return `turn ${turnId} of ${who}${length}${how}`;
}

function markWords({ kind, event, backMs }: TimelineMark, reader: WordsReader): string {
  if (kind === "clock") return `the clock went back by ${span(backMs)}`;
  if (event.type !== "message_sent") return happeningWords(event, reader);
  const [from, to] = [event.fromAgentId, event.toAgentId].map((id) => (id === null ? null : readersName(id, reader)));
  const [first = ""] = event.payload.body.split("\n", 1);
  return `${from ?? "an unknown sender"} → ${to ?? "the room"}: ${cutTo(first, MOST_CHARACTERS)}`;
}

/** The whole, for a person who points at it. */
export function itemTimes(item: TimelineItem): string {
  const { time, day } = clockOf(item.atMs);
  const from = `${day}, ${time}`;
  if (item.kind !== "turn" || item.toMs === null) return from;
  const end = clockOf(item.toMs);
  return `${from} to ${end.day === day ? "" : `${end.day}, `}${end.time}`;
}

/** Where it opens. */
export function placeOfItem(item: TimelineItem): Pick<PagePlace, "view" | "item"> {
  if (item.kind === "turn") return { view: "turns", item: String(item.line.turnId) };
  const { event } = item;
  const inLog = { view: "log", item: `seq:${event.seq}` } as const;
  switch (item.kind) {
    case "message":
      return { view: "talk", item: event.eventId };
    case "takeover":
    case "check":
      return { view: "turns", item: String(event.turnId) };
    case "foreign": {
      const turnId = event.type === "foreign_write" ? event.payload.duringTurn : null;
      return turnId === null ? inLog : { view: "turns", item: String(turnId) };
    }
    case "given":
    case "kick":
    case "paused":
    case "resumed":
    case "clock":
      return inLog;
  }
}
