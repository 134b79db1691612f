/** Notes: what must outlive the talk. The log holds them whole; `evolveNotes` rebuilds them. */

import type { RoomEvent } from "../../core/event.ts";
import type { AgentId, NoteId, RoomId } from "../../core/ids.ts";
import { LIMITS, utf8Length } from "../../core/limits.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { type Decision, record } from "./change.ts";
import { asMember } from "./join.ts";
import type { TakenHandles } from "./membership.ts";
import { moreOf } from "./refusals.ts";
import type { Room } from "./room.ts";

export interface Note {
  readonly noteId: NoteId;
  readonly roomId: RoomId;
  readonly turnId: number | null;
  readonly authorAgentId: AgentId;
  readonly body: string;
  readonly createdAt: string;
  readonly resolvedAt: string | null;
  readonly resolvedByAgentId: AgentId | null;
}

export interface AddNote {
  readonly noteId: NoteId;
  readonly body: string;
  readonly turnId: number | null;
}

type NoteRefusal = "invalid_body" | "body_too_large" | "invalid_turn_id";

export function addNote(
  room: Room,
  given: Given,
  handles: TakenHandles,
  command: AddNote,
): Decision<Note | Refusal<NoteRefusal | "room_closed">> {
  return asMember(room, given, handles, (change) => {
    const refusal = noteRefusal(change.room, command);
    if (refusal) return refusal;
    const { noteId, body, turnId } = command;
    const recorded = record(
      change,
      given,
      "note_added",
      { noteId, preview: preview(body), body, turnId },
      { from: given.caller.agentId },
    );
    const event = recorded.events.at(-1) as Extract<RoomEvent, { type: "note_added" }>;
    return { change: recorded, answer: noteFrom(event) };
  });
}

function noteRefusal(room: Room, { body, turnId }: AddNote): Refusal<NoteRefusal> | null {
  if (body.trim() === "") {
    return refuse("invalid_body", "A note needs text.", "Write down what the others should know.");
  }
  const supplied = utf8Length(body);
  const limit = room.policy.noteMaxBytes;
  if (supplied > limit) {
    return refuse(
      "body_too_large",
      `The note has ${supplied} bytes; this room allows ${limit}.`,
      "Put the long part into a file and name the file in the note.",
      { supplied, limit },
    );
  }
  if (turnId === null || (Number.isSafeInteger(turnId) && turnId >= 0 && turnId <= room.state.turnId)) return null;
  return refuse(
    "invalid_turn_id",
    `Turn ${turnId} is not a turn of this room.`,
    `Give a turn between 0 and ${room.state.turnId}, or none.`,
    { current_turn_id: room.state.turnId },
  );
}

/** The first characters, by code point, on one line. */
function preview(body: string): string {
  return Array.from(body.replace(/\s+/g, " ").trim()).slice(0, LIMITS.notePreviewCharacters).join("");
}

/** Resolving a resolved note changes nothing and says who resolved it first. */
export function resolveNote(
  room: Room,
  given: Given,
  handles: TakenHandles,
  command: { readonly noteId: NoteId; readonly note: Note | null },
): Decision<Note | Refusal<"invalid_input" | "room_closed">> {
  return asMember(room, given, handles, (change) => {
    const { note } = command;
    if (!note) {
      return refuse(
        "invalid_input",
        `There is no note ${JSON.stringify(command.noteId)} in this room.`,
        [...moreOf(command.noteId), "Give the id of one of the notes: ", { do: "list_notes" }],
        { field: "note_id" },
      );
    }
    if (note.resolvedAt !== null) return { change, answer: note };
    const recorded = record(
      change,
      given,
      "note_resolved",
      { noteId: note.noteId },
      { from: given.caller.agentId, to: note.authorAgentId },
    );
    return { change: recorded, answer: resolvedNote(note, recorded.events.at(-1) as RoomEvent) };
  });
}

export type Notes = ReadonlyMap<NoteId, Note>;

export function evolveNotes(notes: Notes, event: RoomEvent): Notes {
  if (event.type === "note_added") return new Map(notes).set(event.payload.noteId, noteFrom(event));
  if (event.type !== "note_resolved") return notes;
  const note = notes.get(event.payload.noteId);
  return note ? new Map(notes).set(note.noteId, resolvedNote(note, event)) : notes;
}

export function noteFrom(event: Extract<RoomEvent, { type: "note_added" }>): Note {
  return {
    noteId: event.payload.noteId,
    roomId: event.roomId,
    turnId: event.payload.turnId,
    authorAgentId: event.fromAgentId as AgentId,
    body: event.payload.body,
    createdAt: event.createdAt,
    resolvedAt: null,
    resolvedByAgentId: null,
  };
}

export function resolvedNote(note: Note, event: RoomEvent): Note {
  return { ...note, resolvedAt: event.createdAt, resolvedByAgentId: event.fromAgentId };
}
