import { asNoteId, asRoomId, type NoteId, type RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { changeRoom, type Decide } from "../engine/commit.ts";
import { decodeFlag, decodeId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { addNote as decideAdd, resolveNote as decideResolve, type Note } from "./rules/note.ts";
import { roomNotFound } from "./rules/refusals.ts";

export interface AddNoteInput {
  readonly roomId: string;
  readonly body: string;
  /** The turn the note is about; it need not be the current one. */
  readonly turnId?: number | null;
}

export interface ListNotesInput {
  readonly roomId: string;
  readonly limit?: number;
  readonly unresolvedOnly?: boolean;
  /** Only notes older than this one; without it, the newest. */
  readonly beforeNoteId?: string;
}

export interface NoteList {
  readonly notes: readonly Note[];
  /** Whether there are older ones; they come before the first of these. */
  readonly hasMore: boolean;
}

export async function addNote(deps: Deps, caller: Caller, input: AddNoteInput): Promise<Note | Refusal> {
  const { body } = input;
  if (typeof body !== "string") return invalidInput("body", "body is not text.", "Give the note as text.");
  const command = { noteId: asNoteId(deps.random.id()), body, turnId: input.turnId ?? null };
  const decide: Decide<Note> = ({ room, handles }, given) => decideAdd(room, given, handles, command);
  return changeRoom(deps, caller, input, decide, { fromMemory: true });
}

export async function resolveNote(
  deps: Deps,
  caller: Caller,
  input: { readonly roomId: string; readonly noteId: string },
): Promise<Note | Refusal> {
  const decoded = decodeId("note_id", input.noteId);
  if (isRefusal(decoded)) return decoded;
  const noteId = asNoteId(decoded);
  const decide: Decide<Note> = ({ room, handles, note }, given) =>
    decideResolve(room, given, handles, { noteId, note });
  return changeRoom(deps, caller, { roomId: input.roomId, noteId }, decide, { fromMemory: true });
}

/** The newest notes, in the order in which they were written. */
export async function listNotes(deps: Deps, input: ListNotesInput): Promise<NoteList | Refusal> {
  const limit = decodeInteger("limit", input.limit ?? LIMITS.notesPerRead, { min: 1, max: LIMITS.notesPerRead });
  if (isRefusal(limit)) return limit;
  const decoded = decodeId("room_id", input.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  if (!(await deps.store.readRoom(roomId))) return roomNotFound(input.roomId);
  const before = await decodeBefore(deps, roomId, input.beforeNoteId);
  if (before !== undefined && isRefusal(before)) return before;
  const unresolvedOnly = decodeFlag("unresolved_only", input.unresolvedOnly);
  if (isRefusal(unresolvedOnly)) return unresolvedOnly;
  const wanted = { unresolvedOnly, ...(before !== undefined && { before }) };
  const found = await deps.store.readNotes(roomId, limit + 1, wanted);
  return { notes: found.slice(-limit), hasMore: found.length > limit };
}

async function decodeBefore(
  deps: Deps,
  roomId: RoomId,
  given: string | undefined,
): Promise<NoteId | undefined | Refusal> {
  if (given === undefined) return undefined;
  const decoded = decodeId("before_note_id", given);
  if (isRefusal(decoded)) return decoded;
  const noteId = asNoteId(decoded);
  if (await deps.store.readNote(roomId, noteId)) return noteId;
  return refuse(
    "invalid_cursor",
    `There is no note ${JSON.stringify(decoded)} in this room, so none is older than it.`,
    "Use the id of the first note that the last list showed, or none to list the newest.",
    { before_note_id: decoded },
  );
}
