/** The rooms of this user: who holds the stick in each, and which of them need the person. */
import { type ReactNode, useId } from "react";
import { oneLine } from "../../../core/visible.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import { stickView } from "../../picture/board.ts";
import { stickParts } from "../../picture/stick-words.ts";
import { nameOfPath, placeOfPath } from "../kit/name-of-path.ts";
import { usePage } from "../page-context.ts";
import { addressOf, START } from "../place.ts";
import { roomNeeds, roomsInOrder } from "./room-needs.ts";

export function Rooms(): ReactNode {
  const { state } = usePage();
  if (!state.hasRooms) return <p className="empty">Loading the rooms …</p>;
  if (state.rooms.length === 0) return <p className="empty">No rooms yet.</p>;
  const { needy, calm } = roomsInOrder(state.rooms);
  return (
    <nav aria-label="Rooms">
      {needy.length > 0 && <RoomList head="Needs you" rooms={needy} />}
      {calm.length > 0 && <RoomList head={needy.length > 0 ? "Other rooms" : null} rooms={calm} />}
    </nav>
  );
}

interface RoomListProps {
  /** Null: it is the only list. */
  readonly head: string | null;
  readonly rooms: readonly RoomPicture[];
}

function RoomList({ head, rooms }: RoomListProps): ReactNode {
  const { place } = usePage();
  const id = useId();
  return (
    <>
      {head !== null && (
        <h2 id={id} className="rooms-head">
          {head}
        </h2>
      )}
      <ul aria-labelledby={head === null ? undefined : id}>
        {rooms.map((picture) => (
          <RoomEntry key={picture.roomId} picture={picture} isOpen={picture.roomId === place.roomId} />
        ))}
      </ul>
    </>
  );
}

/** So many characters fit on one line beside the room. */
const PLACE_CHARACTERS = 34;

function RoomEntry({ picture, isOpen }: { readonly picture: RoomPicture; readonly isOpen: boolean }): ReactNode {
  const { nowMs, place } = usePage();
  const { path, roomId, agents, now } = picture;
  const { mark, text } = stickParts(stickView(picture, nowMs));
  const count = agents.filter(({ isPerson }) => !isPerson).length;
  const where = addressOf({ ...START, view: place.view, roomId });
  return (
    <li>
      <a
        className={`room-entry is-${now.state}`}
        href={where}
        title={oneLine(path)}
        aria-current={isOpen ? "page" : undefined}
      >
        <span className="row spread">
          <strong className="room-name">{nameOfPath(path)}</strong>
          <span className="muted small">{count === 1 ? "1 agent" : `${count} agents`}</span>
        </span>
        <span className="small muted room-place">{placeOfPath(path, PLACE_CHARACTERS)}</span>
        <span className="small">
          <span aria-hidden="true">{mark} </span>
          {text}
        </span>
        <RoomChips picture={picture} />
      </a>
    </li>
  );
}

function RoomChips({ picture }: { readonly picture: RoomPicture }): ReactNode {
  const { questions, prompts, isStuck } = roomNeeds(picture);
  return (
    <span className="row">
      {questions > 0 && (
        <span className="chip tone-accent">{questions === 1 ? "asks you" : `${questions} questions to you`}</span>
      )}
      {prompts > 0 && <span className="chip tone-warn">waits in its terminal</span>}
      {isStuck && <span className="chip tone-bad">stuck</span>}
      {picture.now.paused !== null && <span className="chip tone-warn">paused</span>}
    </span>
  );
}
