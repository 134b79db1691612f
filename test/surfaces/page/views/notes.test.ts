import { describe, expect, it } from "vitest";
import type { RoomEvent } from "../../../../src/core/event.ts";
import type { Note } from "../../../../src/room/rules/note.ts";
import {
  type AskForNotes,
  isResolvedIn,
  loadNotes,
  newestNoteEvent,
} from "../../../../src/surfaces/page/views/notes/note-pages.ts";

/** Notes in the order in which an operation answers them: the oldest of the page first. */
function notes(...ids: readonly string[]): readonly Note[] {
  return ids.map((noteId) => ({ noteId }) as unknown as Note);
}

function asked(pages: readonly (readonly Note[])[]) {
  const befores: (string | null)[] = [];
  const ask: AskForNotes = async (before) => {
    befores.push(before);
    return { notes: pages[befores.length - 1] ?? [], hasMore: befores.length < pages.length };
  };
  return { ask, befores };
}

describe("the notes that the page loads", () => {
  it("are the newest first, page by page, each page before the oldest note that is there", async () => {
    const { ask, befores } = asked([notes("n5", "n6"), notes("n3", "n4"), notes("n1", "n2")]);
    const { notes: loaded, hasMore } = await loadNotes(ask, 2);
    expect(loaded.map(({ noteId }) => noteId)).toEqual(["n6", "n5", "n4", "n3"]);
    expect(hasMore).toBe(true);
    expect(befores).toEqual([null, "n5"]);
  });

  it("are all of them if there are fewer pages than were asked for", async () => {
    const { ask, befores } = asked([notes("n2", "n3"), notes("n1")]);
    expect(await loadNotes(ask, 9)).toEqual({ notes: notes("n3", "n2", "n1"), hasMore: false });
    expect(befores).toHaveLength(2);
  });

  it("end at an empty page, whatever it says of more", async () => {
    let asks = 0;
    const empty: AskForNotes = async () => {
      asks += 1;
      return { notes: [], hasMore: true };
    };
    expect(await loadNotes(empty, 5)).toEqual({ notes: [], hasMore: false });
    expect(asks).toBe(1);
  });

  it("fail whole: no half of a list is shown as the list", async () => {
    const { ask } = asked([notes("n2"), notes("n1")]);
    const failing: AskForNotes = (before) => (before === null ? ask(before) : Promise.reject(new Error("gone")));
    await expect(loadNotes(failing, 2)).rejects.toThrow("gone");
  });
});

describe("what the log says of notes", () => {
  const log = [
    { seq: 4, type: "note_added", payload: { noteId: "a", preview: "x" } },
    { seq: 5, type: "note_resolved", payload: { noteId: "b" } },
    { seq: 6, type: "claim", payload: {} },
  ] as unknown as readonly RoomEvent[];

  it("is as new as the last note that was added or resolved", () => {
    expect(newestNoteEvent(log)).toBe(5);
    expect(newestNoteEvent(log.slice(0, 1))).toBe(4);
    expect(newestNoteEvent(log.slice(2))).toBe(0);
  });

  it("tells a resolved note from an open one", () => {
    expect(isResolvedIn(log, "b")).toBe(true);
    expect(isResolvedIn(log, "a")).toBe(false);
  });
});
