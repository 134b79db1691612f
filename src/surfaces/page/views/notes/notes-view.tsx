/** Notes: what must outlive the talk. The open ones, or those that were resolved. */
import { type ReactNode, useState } from "react";
import type { Note } from "../../../../room/rules/note.ts";
import { AskingState, Empty } from "../../kit/empty.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { useKeptFocus } from "../../kit/use-kept-focus.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import { AddNote } from "./add-note.tsx";
import { NoteEntry } from "./note-entry.tsx";
import { isResolvedIn } from "./note-pages.ts";
import { useNotes } from "./use-notes.ts";
import "./notes.css";

type Shown = "open" | "resolved";

const keyOf = ({ noteId }: Note) => noteId;

export function NotesView({ room }: { readonly room: RoomView }): ReactNode {
  const { place, goTo } = usePage();
  const { picture, open } = room;
  const [chosen, setChosen] = useState<Shown | null>(null);
  const named = place.item !== null && isResolvedIn(open.log.events, place.item) ? "resolved" : "open";
  const shown = chosen ?? named;
  const choose = (next: Shown) => {
    setChosen(next);
    if (place.item !== null) goTo({ item: null });
  };
  return (
    <section className="view notes-view" aria-label="Notes">
      <div className="view-head row" role="group" aria-label="Which notes">
        {(["open", "resolved"] as const).map((which) => (
          <button
            key={which}
            type="button"
            className="button"
            aria-pressed={shown === which}
            onClick={() => choose(which)}
          >
            {which === "open" ? `Open (${picture.now.openNotes})` : "Resolved"}
          </button>
        ))}
      </div>
      <NoteList key={`${picture.roomId} ${shown}`} room={room} shown={shown} wanted={place.item} />
      {room.canAct && <AddNote key={picture.roomId} room={room} />}
    </section>
  );
}

interface NoteListProps {
  readonly room: RoomView;
  readonly shown: Shown;
  /** The note that the address names. */
  readonly wanted: string | null;
}

function NoteList({ room, shown, wanted }: NoteListProps): ReactNode {
  const { box, onFocus } = useKeptFocus<HTMLDivElement>();
  const { asking, loadOlder } = useNotes(room, shown === "open");
  const { answer } = asking;
  const notes = (answer?.notes ?? []).filter(({ resolvedAt }) => (resolvedAt === null) === (shown === "open"));
  return (
    <div ref={box} className="notes-list" tabIndex={-1} onFocus={onFocus}>
      {asking.kind !== "answered" && <AskingState asking={asking} what="the notes" />}
      {answer !== null && notes.length === 0 && (
        <Empty>
          {shown === "open"
            ? "No note is open. A note keeps a decision, a finding or a warning for everybody who works here."
            : answer.hasMore
              ? "None of the newest notes is resolved."
              : "No note was resolved yet. A resolved note stays here."}
        </Empty>
      )}
      {notes.length > 0 && (
        <LongList
          label={shown === "open" ? "Open notes" : "Resolved notes"}
          items={notes}
          keyOf={keyOf}
          itemSize={90}
          shown={wanted}
        >
          {(note) => <NoteEntry room={room} note={note} isWanted={note.noteId === wanted} />}
        </LongList>
      )}
      {answer?.hasMore && (
        <p className="notes-more">
          <button type="button" className="link" onClick={loadOlder}>
            Load older notes
          </button>
        </p>
      )}
    </div>
  );
}
