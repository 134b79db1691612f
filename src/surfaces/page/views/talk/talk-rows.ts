/**
 * The rows of the talk: what was said, in its order, with days between. Answers stand below their question, unless so much
 * was said meanwhile that nobody would see them there. What happened stands between in quiet lines; long runs are folded.
 */
import type { EventOf, RoomEvent } from "../../../../core/event.ts";
import type { AgentId, EventId } from "../../../../core/ids.ts";
import { clockOf, wallMsOf } from "../../../../core/time.ts";
import {
  isTalk,
  saidIn,
  type TalkHandoff,
  type TalkItem,
  type TalkMessage,
  type TalkNote,
} from "../../../../peers/rules/picture-talk.ts";

/** A message that another one answers or is answered by. */
export interface TalkReference {
  readonly seq: number;
  readonly from: TalkMessage["from"];
  readonly body: string;
}

export interface MessageRow {
  readonly kind: "message";
  readonly key: string;
  readonly message: TalkMessage;
  readonly event: EventOf<"message_sent">;
  /** How far below its question it stands; 0 for what stands for itself. */
  readonly depth: number;
  /** What it answers, if it does not stand below that. */
  readonly answers: TalkReference | null;
}

export interface HandoffRow {
  readonly kind: "handoff";
  readonly key: string;
  readonly item: TalkHandoff;
  readonly event: RoomEvent;
}

export interface NoteRow {
  readonly kind: "note";
  readonly key: string;
  readonly item: TalkNote;
}

export interface QuietRow {
  readonly kind: "quiet";
  readonly key: string;
  readonly event: RoomEvent;
}

/** A run of happenings that is folded, or was opened. */
export interface FoldRow {
  readonly kind: "fold";
  readonly key: string;
  /** Names the run as long as the page is open. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly count: number;
  readonly isOpen: boolean;
}

export interface DayRow {
  readonly kind: "day";
  readonly key: string;
  readonly day: string;
}

/** Below it stands what came while the person looked elsewhere. */
export interface NewRow {
  readonly kind: "new";
  readonly key: string;
}

export type TalkRow = MessageRow | HandoffRow | NoteRow | QuietRow | FoldRow | DayRow | NewRow;

/** A longer run is folded, but for its newest. */
const MOST_QUIET = 4;
const SHOWN_OF_RUN = 2;
/** If more was said after its question, an answer stands for itself. */
const MOST_BETWEEN = 6;
const DEEPEST = 3;

/** A run is open if one of the events that it holds was the first of a run that the person opened. */
export function talkRows(events: readonly RoomEvent[], opened: ReadonlySet<number>): readonly TalkRow[] {
  const bySeq = new Map(events.filter(isTalk).map((event) => [event.seq, event]));
  const items = withLateAnswers(saidIn(events, events.length, () => []));
  const rows: TalkRow[] = [];
  const dayAt = daysOf();
  let day = "";
  const addDay = (at: string) => {
    const next = dayAt(at);
    if (next !== day) rows.push({ kind: "day", key: `day:${next}:${at}`, day: next });
    day = next;
  };
  let run: RoomEvent[] = [];
  const endRun = () => {
    for (const row of rowsOfRun(run, opened)) {
      addDay(row.kind === "quiet" ? row.event.createdAt : (run[0]?.createdAt ?? ""));
      rows.push(row);
    }
    run = [];
  };
  const placed = new Map(items.map((placedItem) => [placedItem.item.seq, placedItem]));
  for (const event of events) {
    // The handoff has it.
    if (event.type === "evidence_attached") continue;
    if (!isTalk(event)) {
      if (run.length > 0 && dayAt(run[0]?.createdAt ?? "") !== dayAt(event.createdAt)) endRun();
      run.push(event);
      continue;
    }
    const found = placed.get(event.seq);
    if (!found) continue;
    endRun();
    addDay(event.createdAt);
    rows.push(...rowsOfItem(found, bySeq));
  }
  endRun();
  return rows;
}

interface PlacedItem {
  readonly item: TalkItem;
  readonly answers: TalkReference | null;
}

/** Takes answers that came late out of their threads: they stand where they were said. */
function withLateAnswers(items: readonly TalkItem[]): readonly PlacedItem[] {
  const tops = items.map(({ seq }) => seq);
  const late: PlacedItem[] = [];
  const near = (message: TalkMessage, top: number): TalkMessage => {
    const isLate = ({ seq }: TalkMessage) => countBetween(tops, top, seq) > MOST_BETWEEN;
    for (const answer of message.answers.filter(isLate))
      late.push({ item: near(answer, answer.seq), answers: referenceTo(message) });
    const answers = message.answers.filter((answer) => !isLate(answer)).map((answer) => near(answer, top));
    return { ...message, answers };
  };
  const own = items.map((item): PlacedItem => {
    return { item: item.kind === "message" ? near(item, item.seq) : item, answers: null };
  });
  return [...own, ...late];
}

/** How many of the ascending numbers lie between the two. */
function countBetween(ascending: readonly number[], from: number, to: number): number {
  return Math.max(0, indexAtLeast(ascending, to) - indexAtLeast(ascending, from + 1));
}

function indexAtLeast(ascending: readonly number[], wanted: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function referenceTo({ seq, from, body }: TalkMessage): TalkReference {
  return { seq, from, body };
}

function rowsOfItem({ item, answers }: PlacedItem, bySeq: ReadonlyMap<number, RoomEvent>): readonly TalkRow[] {
  const event = bySeq.get(item.seq) as RoomEvent;
  if (item.kind === "note") return [{ kind: "note", key: keyOfSeq(item.seq), item }];
  if (item.kind === "handoff") return [{ kind: "handoff", key: keyOfSeq(item.seq), item, event }];
  return thread(item, { depth: 0, answers }, bySeq);
}

function thread(
  message: TalkMessage,
  place: Pick<MessageRow, "depth" | "answers">,
  bySeq: ReadonlyMap<number, RoomEvent>,
): readonly MessageRow[] {
  const event = bySeq.get(message.seq) as EventOf<"message_sent">;
  const depth = Math.min(DEEPEST, place.depth + 1);
  const below = message.answers.flatMap((answer) => thread(answer, { depth, answers: null }, bySeq));
  return [{ kind: "message", key: keyOfSeq(message.seq), message, event, ...place }, ...below];
}

function rowsOfRun(run: readonly RoomEvent[], opened: ReadonlySet<number>): readonly (QuietRow | FoldRow)[] {
  const [first] = run;
  if (first === undefined || run.length <= MOST_QUIET) return run.map(quietRow);
  const isOpen = run.some(({ seq }) => opened.has(seq));
  const older = run.slice(0, -SHOWN_OF_RUN);
  const newest = run.slice(-SHOWN_OF_RUN).map(quietRow);
  // A write without the stick is never folded away.
  const loud = older.filter(isLoud);
  const count = older.length - loud.length;
  if (count <= 1) return run.map(quietRow);
  const lastSeq = run.at(-1)?.seq ?? first.seq;
  const fold: FoldRow = { kind: "fold", key: `fold:${first.seq}`, firstSeq: first.seq, lastSeq, count, isOpen };
  return [fold, ...(isOpen ? older : loud).map(quietRow), ...newest];
}

/** Puts the line before the first that is new. An answer below an older question has a mark of its own. */
export function withNewLine(rows: readonly TalkRow[], newAfter: number | null, me: AgentId | null): readonly TalkRow[] {
  if (newAfter === null) return rows;
  const isFirst = (row: TalkRow) => {
    if (row.kind === "message") return row.depth === 0 && isNewTo(row.event, newAfter, me);
    return row.kind === "handoff" || row.kind === "note" ? row.item.seq > newAfter && row.item.from !== me : false;
  };
  const at = rows.findIndex(isFirst);
  return at === -1 ? rows : [...rows.slice(0, at), { kind: "new", key: "new" }, ...rows.slice(at)];
}

/** Whether it is a message of another one that came after this event. */
export function isNewTo({ type, seq, fromAgentId }: RoomEvent, after: number, me: AgentId | null): boolean {
  return type === "message_sent" && seq > after && fromAgentId !== me;
}

export function countNew(events: readonly RoomEvent[], after: number, me: AgentId | null): number {
  let count = 0;
  for (let at = events.length - 1; at >= 0 && (events[at] as RoomEvent).seq > after; at -= 1) {
    if (isNewTo(events[at] as RoomEvent, after, me)) count += 1;
  }
  return count;
}

function quietRow(event: RoomEvent): QuietRow {
  return { kind: "quiet", key: keyOfSeq(event.seq), event };
}

export function isLoud({ type }: RoomEvent): boolean {
  return type === "foreign_write";
}

export function keyOfSeq(seq: number): string {
  return `seq:${seq}`;
}

/** So much of a long log becomes rows at a time: each event that comes makes the rows again. */
const STEP = 1000;

/** The first event that is shown. It stays while others come, so that nothing moves. `before`: what it was. */
export function firstShown(events: readonly RoomEvent[], before: number | null): number | null {
  const [first] = events;
  if (first === undefined) return null;
  const lastSeq = events.at(-1)?.seq ?? first.seq;
  if (before !== null && before <= lastSeq) return Math.max(first.seq, before);
  return events.at(-STEP)?.seq ?? first.seq;
}

/** Where to begin in order to show more; null if all that is loaded is shown. */
export function furtherBack(events: readonly RoomEvent[], shown: number | null): number | null {
  const at = events.findIndex(({ seq }) => seq === shown);
  return at <= 0 ? null : (events[Math.max(0, at - STEP)]?.seq ?? null);
}

export function shownFrom(events: readonly RoomEvent[], seq: number | null): readonly RoomEvent[] {
  if (seq === null || events[0]?.seq === seq) return events;
  return events.slice(events.findIndex((event) => event.seq === seq));
}

/** The row that the address names: a message by its id, or an event by its number. */
export interface NamedRow {
  readonly key: string;
  readonly seq: number;
}

/** Null if it names none, or one that is not loaded. */
export function rowNamed(item: string | null, events: readonly RoomEvent[]): NamedRow | null {
  if (item === null) return null;
  const bySeq = /^seq:(\d+)$/.exec(item)?.[1];
  const seq = bySeq === undefined ? undefined : Number(bySeq);
  const event = events.find((one) => (seq === undefined ? one.eventId === (item as EventId) : one.seq === seq));
  return event ? { key: keyOfSeq(event.seq), seq: event.seq } : null;
}

/** The run to open, so that the event with this number is in sight; null if it is. */
export function foldOver(rows: readonly TalkRow[], seq: number): number | null {
  if (rows.some(({ key }) => key === keyOfSeq(seq))) return null;
  const fold = rows.findLast((row) => row.kind === "fold" && row.firstSeq <= seq);
  return fold?.kind === "fold" ? fold.firstSeq : null;
}

/** Looking a day up takes time. Everywhere a day begins at a quarter of an hour of universal time, so quarters are enough. */
function daysOf(): (at: string) => string {
  const known = new Map<string, string>();
  return (at) => {
    const quarter = `${at.slice(0, 13)}${Math.floor(Number(at.slice(14, 16)) / 15)}`;
    const day = known.get(quarter) ?? clockOf(wallMsOf(at)).day;
    known.set(quarter, day);
    return day;
  };
}
