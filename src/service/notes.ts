import type { Caller } from "../domain/given.ts";
import { asNoteId, asRoomId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import { addNote as decideAdd, resolveNote as decideResolve, type Note } from "../domain/note/note.ts";
import { invalidInput, isRefusal, type Refusal } from "../domain/refusal.ts";
import { roomNotFound } from "../domain/room/refusals.ts";
import { changeRoom, type Decide } from "./change-room.ts";
import { decodeId, decodeInteger } from "./decode.ts";
import type { Deps } from "./deps.ts";

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

export async function listNotes(
  deps: Deps,
  input: ListNotesInput,
): Promise<{ readonly notes: readonly Note[] } | Refusal> {
  const limit = decodeInteger("limit", input.limit ?? LIMITS.notesPerRead, { min: 1, max: LIMITS.notesPerRead });
  if (isRefusal(limit)) return limit;
  const decoded = decodeId("room_id", input.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  if (!(await deps.store.readRoom(roomId))) return roomNotFound(input.roomId);
  const notes = await deps.store.readNotes(roomId, limit, { unresolvedOnly: input.unresolvedOnly ?? false });
  return { notes };
}
