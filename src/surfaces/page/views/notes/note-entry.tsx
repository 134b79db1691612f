/** One note in full, and what became of it. */
import { type ReactNode, useState } from "react";
import type { Note } from "../../../../room/rules/note.ts";
import { ActButton } from "../../kit/act-button.tsx";
import { AgentName } from "../../kit/agent-name.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { Age } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";

interface NoteEntryProps {
  readonly room: RoomView;
  readonly note: Note;
  readonly isWanted: boolean;
}

/** More characters are folded, so that one note does not hide the others. */
const MOST_CHARACTERS = 1000;

export function NoteEntry({ room, note, isWanted }: NoteEntryProps): ReactNode {
  const { goTo, run } = usePage();
  const [isActing, setActing] = useState(false);
  const { noteId, authorAgentId, createdAt, turnId, body, resolvedAt, resolvedByAgentId } = note;
  const resolve = async () => {
    setActing(true);
    // The list follows the event, which says that it is done.
    await run("resolve_note", { room_id: room.picture.roomId, note_id: noteId });
    setActing(false);
  };
  return (
    <article className="notes-entry" data-wanted={isWanted} aria-label={`Note of ${room.nameOf(authorAgentId)}`}>
      <div className="row spread">
        <span className="row">
          <AgentName room={room} agentId={authorAgentId} />
          <Age at={createdAt} />
          {turnId !== null && (
            <button type="button" className="link small" onClick={() => goTo({ view: "turns", item: String(turnId) })}>
              about turn {turnId}
            </button>
          )}
        </span>
        {room.canAct && resolvedAt === null && (
          <ActButton isActing={isActing} onAct={() => void resolve()}>
            {isActing ? "Resolving …" : "Resolve"}
          </ActButton>
        )}
      </div>
      <ForeignText text={body} most={MOST_CHARACTERS} />
      {resolvedAt !== null && (
        <p className="row small muted">
          <span>✓ resolved by</span>
          <AgentName room={room} agentId={resolvedByAgentId} />
          <Age at={resolvedAt} />
        </p>
      )}
    </article>
  );
}
