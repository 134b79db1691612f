/** What the page asks for, answered from a recording as of a moment. Pure. What no recording has is refused in words. */
import { isEventType } from "../../../core/event.ts";
import { type AgentId, asAgentId } from "../../../core/ids.ts";
import { LIMITS } from "../../../core/limits.ts";
import { type AgentNames, type EventFilter, matches, viewOf, withNamesIn } from "../../../room/rules/event-view.ts";
import { type Note, noteFrom, resolvedNote } from "../../../room/rules/note.ts";
import type { PageAnswers, PageOperation } from "../../wire/page-answers.ts";
import type { PlainInput } from "../source.ts";
import type { PastLog } from "./past-log.ts";
import { diffTurn, listTurns, refused, showTurn } from "./recorded-turns.ts";

/** A recording at a moment. */
interface Shown {
  readonly log: PastLog;
  readonly position: number;
}

type Answering = { readonly [Name in PageOperation]?: (shown: Shown, input: PlainInput) => PageAnswers[Name] };

const ANSWERS: Answering = {
  list_turns: ({ log, position }, input) => listTurns(log, position, numberIn(input, "limit")),
  show_turn: ({ log, position }, input) => showTurn(log, position, numberIn(input, "turn_id")),
  diff_turn({ log, position }, input) {
    if (input["since"] === true || input["kept"] !== undefined) {
      throw refused("no_snapshot", "A recording does not have the files as they are now.", "Ask in the room itself.");
    }
    return diffTurn(log, position, { turnId: numberIn(input, "turn_id"), paths: listIn(input, "paths") });
  },
  list_notes: listNotes,
  get_room_events: roomEvents,
};

const READS: Readonly<Partial<Record<PageOperation, string>>> = {
  read_session: "A recording has no transcripts.",
  dead_letters: "A recording has no mailboxes, so it has no dead letters.",
  read_my_messages: "A recording has no mailboxes. What was said stands in Talk.",
  message_status: "A recording has of each message only the marks of the moment at which it was made.",
};
const OPEN_ROOM = "Where the room itself is, tt ui shows it.";

/** Throws `RefusedError`. */
export function answerFrom<Name extends PageOperation>(shown: Shown, name: Name, input: PlainInput): PageAnswers[Name] {
  const answer = ANSWERS[name];
  if (answer) return answer(shown, input);
  const read = READS[name];
  if (read !== undefined) throw refused("invalid_input", read, OPEN_ROOM);
  throw refused("not_authorized", "This is a recording: nothing can be done in it.", OPEN_ROOM);
}

function listNotes({ log, position }: Shown, input: PlainInput): PageAnswers["list_notes"] {
  const notes = new Map<Note["noteId"], Note>(log.recording.notesBefore.map((note) => [note.noteId, note]));
  for (const event of log.eventsTo(position)) {
    if (event.type === "note_added") notes.set(event.payload.noteId, noteFrom(event));
    if (event.type !== "note_resolved") continue;
    const note = notes.get(event.payload.noteId);
    if (note) notes.set(note.noteId, resolvedNote(note, event));
  }
  const all = [...notes.values()];
  const before = all.findIndex(({ noteId }) => noteId === input["before_note_id"]);
  const wanted = (before < 0 ? all : all.slice(0, before)).filter(
    ({ resolvedAt }) => input["unresolved_only"] !== true || resolvedAt === null,
  );
  const limit = numberIn(input, "limit") ?? LIMITS.notesPerRead;
  return { notes: wanted.slice(-limit), hasMore: wanted.length > limit };
}

function roomEvents({ log, position }: Shown, input: PlainInput): PageAnswers["get_room_events"] {
  const events = log.eventsTo(position);
  const filter = filterIn(input, events);
  const afterSeq = numberIn(input, "after_event_seq");
  const limit = numberIn(input, "limit") ?? LIMITS.eventsTail;
  const matching = events.filter((event) => matches(filter, event) && (afterSeq === undefined || event.seq > afterSeq));
  const found = afterSeq === undefined ? matching.slice(-limit) : matching.slice(0, limit);
  const last = afterSeq === undefined ? events.at(-1) : found.at(-1);
  return { events: found.map(viewOf), cursorEventSeq: last?.seq ?? afterSeq ?? 0 };
}

function filterIn(input: PlainInput, events: ReturnType<PastLog["eventsTo"]>): EventFilter {
  const named = (field: string): AgentNames | null => {
    const text = input[field];
    if (typeof text !== "string" || text === "any") return null;
    const agentId = asAgentId(text);
    return { agentId, names: withNamesIn(events, new Set<AgentId>([agentId])) };
  };
  const types = listIn(input, "event_type").filter(isEventType);
  const target = named("target_agent_id");
  const { since } = input;
  return {
    types: types.length === 0 ? null : new Set(types),
    target: target === null ? { kind: "any" } : { kind: "agent", who: target },
    from: named("from_agent_id"),
    about: named("about_agent_id"),
    turnId: numberIn(input, "turn_id") ?? null,
    since: typeof since === "string" ? since : null,
  };
}

function numberIn(input: PlainInput, field: string): number | undefined {
  const value = input[field];
  return typeof value === "number" ? value : undefined;
}

function listIn(input: PlainInput, field: string): readonly string[] {
  const value = input[field];
  return typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
}
