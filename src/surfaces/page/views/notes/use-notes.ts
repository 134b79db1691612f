/** The notes of a room, asked for again when one is added or resolved. */
import { useEffect, useState } from "react";
import { type Asking, useConnection, wordsOfError } from "../../kit/use-answer.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import { type LoadedNotes, loadNotes, newestNoteEvent } from "./note-pages.ts";

interface Notes {
  readonly asking: Asking<LoadedNotes>;
  readonly loadOlder: () => void;
}

const NOT_YET: Asking<LoadedNotes> = { kind: "asking", answer: null };

/** Of one room, and either the open notes alone or all of them. A component that shows others needs another key. */
export function useNotes(room: RoomView, unresolvedOnly: boolean): Notes {
  const { source } = usePage();
  const { roomId } = room.picture;
  const [asking, setAsking] = useState(NOT_YET);
  const [pages, setPages] = useState(1);
  const newest = newestNoteEvent(room.open.log.events);
  const connection = useConnection();
  useEffect(() => {
    if (connection === null) return undefined;
    let isOver = false;
    const ask = (before: string | null) =>
      source.ask("list_notes", {
        room_id: roomId,
        ...(unresolvedOnly && { unresolved_only: true }),
        ...(before !== null && { before_note_id: before }),
      });
    loadNotes(ask, pages).then(
      (answer) => isOver || setAsking({ kind: "answered", answer }),
      (error: unknown) => isOver || setAsking((last) => ({ ...last, kind: "failed", words: wordsOfError(error) })),
    );
    return () => {
      isOver = true;
    };
  }, [source, roomId, unresolvedOnly, pages, newest, connection]);
  return { asking, loadOlder: () => setPages(pages + 1) };
}
