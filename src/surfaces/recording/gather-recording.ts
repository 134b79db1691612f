/** Gathers what a recording of a room holds: its log in a span of time, and what a page without a server cannot ask for. */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { LIMITS } from "../../core/limits.ts";
import { invalidInput, isRefusal, type Refusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import { type PictureOptions, roomPicture } from "../../peers/room-picture.ts";
import { notesBefore, type Past, pastAfter, pastBefore } from "../../peers/rules/past.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { Room } from "../../room/rules/room.ts";
import { turnsIn } from "../../turns/rules/turn-lines.ts";
import { type TurnToRecord, turnsToRecord } from "../../turns/turns-to-record.ts";
import { messagesAmong, readMarks } from "../follow/follow-room.ts";
import type { RecordedEnd, RecordedStart, Recording } from "../wire/recording.ts";

export interface WantedRecording {
  readonly version: string;
  /** Wall times; null: as far as the log goes. */
  readonly since: string | null;
  readonly until: string | null;
  readonly diffs: boolean;
  /** Whether agents are shown by their ids. */
  readonly ids: boolean;
  readonly protectionOf: PictureOptions["protectionOf"];
  readonly cancel: AbortSignal;
  /** Called with what is being read, for a person who waits. */
  readonly tell: (words: string) => void;
}

/** A browser must be able to hold it as one text. */
const MOST_CHARACTERS = 200_000_000;
const TELL_EVERY = 100;

/** Null once it is cancelled. */
export async function gatherRecording(
  deps: Deps,
  room: Room,
  wanted: WantedRecording,
): Promise<Recording | Refusal | null> {
  // Before the log: a note that an agent adds meanwhile must not look as if it had been there from the start.
  const notes = await deps.store.readNotes(room.id, Number.MAX_SAFE_INTEGER, { unresolvedOnly: false });
  const picture = await roomPicture(deps, null, room.id, { since: true, protectionOf: wanted.protectionOf });
  if (isRefusal(picture)) return picture;
  const read = await readLog(deps, picture, wanted);
  if (read === null) return null;
  const { log, left } = read;
  const span = spanOf(log, wanted);
  if (isRefusal(span)) return span;
  if (charactersIn(span.events) > MOST_CHARACTERS) return tooLong(span.events.length);
  const known = { state: room.state, policy: room.policy, newPolicy: deps.policy, notes, left };
  const names = wanted.ids ? {} : await namesOf(deps, room, log, picture);
  const turns = await gatherTurns(deps, room, span, wanted);
  const marks = span.isToEnd ? await marksIn(deps, span.events, wanted) : [];
  if (turns === null || marks === null) return null;
  if (isRefusal(turns)) return turns;
  const { id: roomId, host, path, project } = room;
  return {
    version: wanted.version,
    madeAt: picture.asOf,
    from: wanted.since ?? span.first.createdAt,
    to: span.isToEnd ? picture.asOf : (wanted.until ?? picture.asOf),
    isCut: span.before.length === 0 && span.first.seq > 1,
    place: { roomId, host, path, project, names },
    start: asJson(span.before.reduce(pastAfter, pastBefore(log, known))),
    notesBefore: notesBefore(log.slice(span.before.length), notes),
    events: span.events,
    end: span.isToEnd ? { picture: { ...picture, names }, marks } : null,
    turns,
    hasDiffs: wanted.diffs,
  };
}

interface ReadLog {
  /** Without a gap, up to the event that the picture knows of. */
  readonly log: readonly RoomEvent[];
  /** What is left of older ones. No state follows from them. */
  readonly left: readonly RoomEvent[];
}

async function readLog(
  { store }: Deps,
  { roomId, lastSeq }: RoomPicture,
  { tell, cancel }: WantedRecording,
): Promise<ReadLog | null> {
  const left: RoomEvent[] = [];
  const log: RoomEvent[] = [];
  for (let cursor = 0; cursor < lastSeq; ) {
    const page = (await store.readEvents(roomId, cursor, LIMITS.eventsPerScan)).filter(({ seq }) => seq <= lastSeq);
    for (const event of page) {
      const before = log.at(-1)?.seq ?? event.seq - 1;
      if (event.seq !== before + 1) left.push(...log.splice(0));
      log.push(event);
    }
    const last = page.at(-1);
    if (!last) break;
    if (cancel.aborted) return null;
    cursor = last.seq;
    tell(`Reading the log: ${cursor} of ${lastSeq} events`);
  }
  return { log, left };
}

interface Span {
  readonly before: readonly RoomEvent[];
  readonly first: RoomEvent;
  readonly events: readonly RoomEvent[];
  /** Whether nothing follows it. */
  readonly isToEnd: boolean;
}

/** A part of the log in one piece, although the clock on the wall may have jumped. */
function spanOf(log: readonly RoomEvent[], { since, until }: WantedRecording): Span | Refusal<"invalid_input"> {
  const begin = since === null ? 0 : log.findIndex(({ createdAt }) => createdAt >= since);
  const last = until === null ? log.length - 1 : log.findLastIndex(({ createdAt }) => createdAt <= until);
  const first = begin < 0 ? undefined : log[begin];
  if (first === undefined || last < begin) return nothingThere(log);
  const isToEnd = until === null;
  return { before: log.slice(0, begin), first, events: log.slice(begin, last + 1), isToEnd };
}

function nothingThere(log: readonly RoomEvent[]): Refusal<"invalid_input"> {
  const [first, last] = [log[0], log.at(-1)];
  if (!first || !last) {
    const why = "Nothing has happened in this room, or its history was deleted, so there is nothing to record.";
    return invalidInput("since", why, ["See the room: ", { do: "get_room_state" }]);
  }
  return invalidInput(
    "since",
    "Nothing happened in that time, so there is nothing to record.",
    `The log goes from ${first.createdAt} to ${last.createdAt}.`,
  );
}

function charactersIn(events: readonly RoomEvent[]): number {
  return events.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
}

function tooLong(count: number): Refusal<"invalid_input"> {
  return invalidInput(
    "since",
    `The ${count} events have more than ${MOST_CHARACTERS / 1e6} MB, which is too much for one page.`,
    "Record a shorter time with --since and --until.",
  );
}

/** What people call the agents now, also those that have left. The log itself tells what others were called. */
async function namesOf(
  { store }: Deps,
  { project }: Room,
  log: readonly RoomEvent[],
  picture: RoomPicture,
): Promise<RoomPicture["names"]> {
  const agents = new Set<AgentId>();
  const names = new Map<string, string>();
  for (const event of log) {
    const { fromAgentId, toAgentId } = event;
    for (const agentId of [fromAgentId, toAgentId]) if (agentId !== null) agents.add(agentId);
    if (event.type === "member_joined" && fromAgentId !== null) names.set(fromAgentId, event.payload.handle);
    if (event.type === "session_superseded") agents.add(event.payload.supersededAgentId);
  }
  const handles = new Map<string, string>();
  for (const { agentId, handle } of await store.readHandles(project)) handles.set(agentId, handle);
  const aliases = await store.readAliases([...agents]);
  for (const agentId of agents) {
    const handle = handles.get(agentId) ?? handles.get(aliases.get(agentId) ?? agentId);
    if (handle !== undefined) names.set(agentId, handle);
  }
  return { ...Object.fromEntries(names), ...picture.names };
}

async function marksIn(
  deps: Deps,
  events: readonly RoomEvent[],
  { tell, cancel }: WantedRecording,
): Promise<RecordedEnd["marks"] | null> {
  const messages = messagesAmong(events);
  const found: RecordedEnd["marks"][number][] = [];
  for (let index = 0; index < messages.length; index += TELL_EVERY) {
    if (cancel.aborted) return null;
    tell(`Reading what became of messages: ${index} of ${messages.length}`);
    for (const [messageId, marks] of await readMarks(deps, messages.slice(index, index + TELL_EVERY)))
      if (marks.length > 0) found.push({ messageId, marks });
  }
  return found;
}

/** Those that went on in the span. */
async function gatherTurns(
  deps: Deps,
  room: Room,
  { before, first, events, isToEnd }: Span,
  { diffs: patches, tell, cancel }: WantedRecording,
): Promise<readonly TurnToRecord[] | Refusal<"invalid_input"> | null> {
  const lines = turnsIn([...before, ...events]).filter(({ lastSeq }) => lastSeq === null || lastSeq >= first.seq);
  const turns: TurnToRecord[] = [];
  let characters = 0;
  for await (const turn of turnsToRecord(deps, room, lines, { patches, present: isToEnd, cancel })) {
    turns.push(turn);
    tell(`Comparing files: ${turns.length} of ${lines.length} turns`);
    characters += JSON.stringify(turn.patch).length;
    if (characters > MOST_CHARACTERS) return tooLarge(turns.length, lines.length);
  }
  return cancel.aborted ? null : turns;
}

function tooLarge(count: number, all: number): Refusal<"invalid_input"> {
  return invalidInput(
    "diffs",
    `The diffs of ${count} of the ${all} turns already have more than ${MOST_CHARACTERS / 1e6} MB, which is too much for one page.`,
    "Record a shorter time with --since and --until, or leave --diffs out.",
  );
}

function asJson({ state, ...past }: Past): RecordedStart {
  return { ...past, state: { ...state, members: [...state.members.values()] } };
}
