/** Notes: what must outlive the talk. */
import { flag, idOf, integer, optional, text } from "../core/field.ts";
import { asNoteId, type NoteId, type RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import { addNote as decideAdd, resolveNote as decideResolve, type Note } from "./rules/note.ts";
import { roomNotFound } from "./rules/refusals.ts";

export interface NoteList {
  readonly notes: readonly Note[];
  /** Whether there are older ones; they come before the first of these. */
  readonly hasMore: boolean;
}

export const addNote = operation({
  name: "add_note",
  summary: "Keeps a note for all members: a decision, a finding, a warning.",
  needs: { store: "change", caller: "known", room: "joined" },
  input: {
    // The room's own limit is smaller and is judged with the room.
    body: text(Number.POSITIVE_INFINITY),
    // The turn that the note is about; it need not be the current one.
    turnId: optional(integer()),
  },
  refusals: ["invalid_body", "body_too_large", "invalid_turn_id", "room_closed"],
  mcp: "gateway",
  run({ deps, caller, roomId }, { body, turnId = null }) {
    const command = { noteId: asNoteId(deps.random.id()), body, turnId };
    return changeRoom(
      deps,
      caller,
      { roomId },
      ({ room, handles }, given) => decideAdd(room, given, handles, command),
      { fromMemory: true },
    );
  },
});

export const resolveNote = operation({
  name: "resolve_note",
  summary: "Marks a note as done.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: { noteId: idOf("note") },
  refusals: ["room_closed"],
  mcp: "gateway",
  run({ deps, caller, roomId }, { noteId }) {
    return changeRoom(
      deps,
      caller,
      { roomId, noteId },
      ({ room, handles, note }, now) => decideResolve(room, now, handles, { noteId, note }),
      { fromMemory: true },
    );
  },
});

export const listNotes = operation({
  name: "list_notes",
  summary:
    "The room's newest notes, at most 200, oldest first. has_more: older ones come with before_note_id, the first one's id.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: {
    limit: optional(integer({ min: 1, max: LIMITS.notesPerRead })),
    unresolvedOnly: optional(flag()),
    beforeNoteId: optional(idOf("note")),
  },
  instead: {
    include_resolved: "Resolved notes are listed, too. Give unresolved_only to leave them out.",
    after_note_id: "The newest notes come first. For older ones give before_note_id.",
  },
  refusals: ["invalid_cursor"],
  mcp: "gateway",
  async run({ deps, roomId }, { limit = LIMITS.notesPerRead, unresolvedOnly = false, beforeNoteId }) {
    if (!(await deps.store.readRoom(roomId))) return roomNotFound(roomId);
    const before = beforeNoteId === undefined ? undefined : await findNote(deps, roomId, beforeNoteId);
    if (before !== undefined && isRefusal(before)) return before;
    const wanted = { unresolvedOnly, ...(before !== undefined && { before }) };
    const found = await deps.store.readNotes(roomId, limit + 1, wanted);
    return { notes: found.slice(-limit), hasMore: found.length > limit };
  },
});

async function findNote(deps: Deps, roomId: RoomId, noteId: NoteId): Promise<NoteId | Refusal<"invalid_cursor">> {
  if (await deps.store.readNote(roomId, noteId)) return noteId;
  return refuse(
    "invalid_cursor",
    `There is no note ${JSON.stringify(noteId)} in this room, so none is older than it.`,
    "Use the id of the first note that the last list showed, or none to list the newest.",
    { before_note_id: noteId },
  );
}
