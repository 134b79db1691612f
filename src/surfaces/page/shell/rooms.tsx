/** The rooms of this user: who holds the stick in each, and which of them needs the person. */
import type { ReactNode } from "react";
import { oneLine } from "../../../core/visible.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import { stickView } from "../../picture/board.ts";
import { questionsIn } from "../../picture/step-in.ts";
import { stickWords } from "../../picture/stick-words.ts";
import { CommandLine } from "../kit/command-line.tsx";
import { nameOfPath } from "../kit/name-of-path.ts";
import { usePage } from "../page-context.ts";
import { addressOf, START } from "../place.ts";

export function Rooms(): ReactNode {
  const { state, place } = usePage();
  if (!state.hasRooms) return <p className="empty">Loading the rooms …</p>;
  if (state.rooms.length === 0) {
    return (
      <div className="empty">
        <p>There is no room yet. An agent or a person opens one in a directory:</p>
        <CommandLine words="tt join" />
      </div>
    );
  }
  return (
    <nav aria-label="Rooms">
      <ul className="rooms">
        {state.rooms.map((picture) => (
          <RoomEntry key={picture.roomId} picture={picture} isOpen={picture.roomId === place.roomId} />
        ))}
      </ul>
    </nav>
  );
}

function RoomEntry({ picture, isOpen }: { readonly picture: RoomPicture; readonly isOpen: boolean }): ReactNode {
  const { nowMs, place } = usePage();
  const { state, path, roomId, agents, now } = { ...picture, state: picture.now.state };
  const [mark, words] = stickWords(stickView(picture, nowMs));
  const needed = questionsIn(picture).length;
  const prompts = agents.filter(({ needs }) => needs?.kind === "permission").length;
  const where = addressOf({ ...START, view: place.view, roomId });
  return (
    <li>
      <a className={`room-entry is-${state}`} href={where} aria-current={isOpen ? "page" : undefined}>
        <span className="row spread">
          <strong className="room-name">{nameOfPath(path)}</strong>
          <span className="muted small">{agents.length === 1 ? "1 agent" : `${agents.length} agents`}</span>
        </span>
        <span className="small room-path">{oneLine(path)}</span>
        <span className="small">
          <span aria-hidden="true">{mark} </span>
          {words}
        </span>
        <span className="row">
          {needed > 0 && (
            <span className="chip tone-accent">{needed === 1 ? "asks you" : `${needed} questions to you`}</span>
          )}
          {prompts > 0 && <span className="chip tone-warn">waits in its terminal</span>}
          {now.paused !== null && <span className="chip tone-warn">paused</span>}
          {picture.why.isStuck && needed === 0 && <span className="chip tone-bad">stuck</span>}
        </span>
      </a>
    </li>
  );
}
