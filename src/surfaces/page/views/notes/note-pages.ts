/** The notes that the page has loaded: the newest ones, and older ones page by page. Pure. */
import type { RoomEvent } from "../../../../core/event.ts";
import type { Note } from "../../../../room/rules/note.ts";

/** `before`: the note that is the oldest of those that are there. */
export type AskForNotes = (
  before: string | null,
) => Promise<{ readonly notes: readonly Note[]; readonly hasMore: boolean }>;

export interface LoadedNotes {
  /** The newest first. */
  readonly notes: readonly Note[];
  readonly hasMore: boolean;
}

/** So many pages again, because a note on any of them may have been resolved meanwhile. */
export async function loadNotes(ask: AskForNotes, pages: number): Promise<LoadedNotes> {
  let notes: readonly Note[] = [];
  let hasMore = true;
  for (let page = 0; page < pages && hasMore; page += 1) {
    const answer = await ask(notes.at(-1)?.noteId ?? null);
    hasMore = answer.hasMore && answer.notes.length > 0;
    notes = [...notes, ...answer.notes.toReversed()];
  }
  return { notes, hasMore };
}

/** What the list of notes depends on: it is asked for again when this changes. */
export function newestNoteEvent(events: readonly RoomEvent[]): number {
  return events.findLast(({ type }) => type === "note_added" || type === "note_resolved")?.seq ?? 0;
}

export function isResolvedIn(events: readonly RoomEvent[], noteId: string): boolean {
  return events.some((event) => event.type === "note_resolved" && event.payload.noteId === noteId);
}
