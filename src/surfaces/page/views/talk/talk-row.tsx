/** What is not a message in the talk: days, handoffs, notes, and what happened. */
import type { ReactNode } from "react";
import { visible } from "../../../../core/visible.ts";
import { happeningWords } from "../../../picture/happening-words.ts";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { HandoffFields } from "../../kit/handoff-fields.tsx";
import { useItemTab } from "../../kit/long-list.tsx";
import { ClockTime } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { type FoldRow, type HandoffRow, isLoud, type NoteRow, type QuietRow, type TalkRow } from "./talk-rows.ts";

interface QuietProps {
  readonly room: RoomView;
  readonly row: Exclude<TalkRow, { readonly kind: "message" }>;
  readonly isMarked: boolean;
  readonly onFold: (row: FoldRow) => void;
}

export function TalkOtherRow({ room, row, isMarked, onFold }: QuietProps): ReactNode {
  const marked = isMarked ? "talk-marked" : "";
  const tabIndex = useItemTab();
  switch (row.kind) {
    case "day":
      return <h2 className="talk-day small">{row.day}</h2>;
    case "new":
      return <h2 className="talk-new small">New since you last looked</h2>;
    case "fold":
      return (
        <p className="talk-quiet">
          <button
            type="button"
            className="link small"
            tabIndex={tabIndex}
            aria-expanded={row.isOpen}
            onClick={() => onFold(row)}
          >
            {row.isOpen ? `Fold ${row.count}` : `${row.count} more`}
          </button>
        </p>
      );
    case "quiet":
      return <Quiet room={room} row={row} marked={marked} />;
    case "handoff":
      return <HandoffPart room={room} row={row} marked={marked} />;
    case "note":
      return <NotePart room={room} row={row} marked={marked} />;
  }
}

interface PartProps<Row> {
  readonly room: RoomView;
  readonly row: Row;
  readonly marked: string;
}

function Quiet({ room, row: { event }, marked }: PartProps<QuietRow>): ReactNode {
  const words = happeningWords(event, { me: room.picture.me, nameOf: room.nameOf });
  return (
    <p className={`talk-quiet small ${isLoud(event) ? "talk-loud" : "muted"} ${marked}`}>
      <ClockTime at={event.createdAt} /> <span className="foreign-text">{visible(words)}</span>
    </p>
  );
}

function HandoffPart({ room, row: { event, item }, marked }: PartProps<HandoffRow>): ReactNode {
  const { goTo } = usePage();
  const tabIndex = useItemTab();
  const words = happeningWords({ ...event, handoff: null }, { me: room.picture.me, nameOf: room.nameOf });
  return (
    <section className={`talk-handoff ${marked}`} aria-label={`Handoff of turn ${item.turnId}`}>
      <p className="row">
        <strong className="foreign-text">{visible(words)}</strong>
        <ClockTime at={item.at} />
        <button
          type="button"
          className="link small"
          tabIndex={tabIndex}
          onClick={() => goTo({ view: "turns", item: String(item.turnId) })}
        >
          Turn {item.turnId}
        </button>
      </p>
      <HandoffFields handoff={item.handoff} />
    </section>
  );
}

function NotePart({ room, row: { item }, marked }: PartProps<NoteRow>): ReactNode {
  const { goTo } = usePage();
  const tabIndex = useItemTab();
  const who = item.from === null ? "nobody" : item.from === room.picture.me ? "you" : room.nameOf(item.from);
  return (
    <div className={`talk-note ${marked}`}>
      <p className="row">
        <strong>{who} noted</strong>
        {item.isResolved && <span className="chip">resolved</span>}
        <ClockTime at={item.at} />
        <button
          type="button"
          className="link small"
          tabIndex={tabIndex}
          onClick={() => goTo({ view: "notes", item: item.noteId })}
        >
          Open the note
        </button>
      </p>
      <ForeignText text={item.preview} />
    </div>
  );
}
