/** The frame of the page: how it stands with its data, the rooms, and the room that is open with its views. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { visible } from "../../../core/visible.ts";
import { questionsIn } from "../../picture/step-in.ts";
import { CommandLine } from "../kit/command-line.tsx";
import { Empty } from "../kit/empty.tsx";
import { nameOfPath } from "../kit/name-of-path.ts";
import { type RoomView, usePage } from "../page-context.ts";
import { openPicture } from "../page-state.ts";
import { addressOf, START, VIEWS, type ViewName } from "../place.ts";
import { AgentsView } from "../views/agents/agents-view.tsx";
import { LogView } from "../views/log/log-view.tsx";
import { MailView } from "../views/mail/mail-view.tsx";
import { NotesView } from "../views/notes/notes-view.tsx";
import { useNewCount } from "../views/talk/new-in-talk.ts";
import { TalkView } from "../views/talk/talk-view.tsx";
import { TimelineView } from "../views/timeline/timeline-view.tsx";
import { TurnsView } from "../views/turns/turns-view.tsx";
import { Announcer } from "./announcer.tsx";
import { Failure } from "./failure.tsx";
import { Keys } from "./keys.tsx";
import { RoomHeader } from "./room-header.tsx";
import { Rooms } from "./rooms.tsx";

type View = (props: { readonly room: RoomView }) => ReactNode;

const SHOWN: Readonly<Record<ViewName, readonly [label: string, view: View]>> = {
  talk: ["Talk", TalkView],
  timeline: ["Timeline", TimelineView],
  turns: ["Turns", TurnsView],
  agents: ["Agents", AgentsView],
  notes: ["Notes", NotesView],
  mail: ["Mail", MailView],
  log: ["Log", LogView],
};

interface FrameProps {
  readonly room: RoomView | null;
  readonly footer: ReactNode;
}

export function Frame({ room, footer }: FrameProps): ReactNode {
  const { state, place } = usePage();
  useTitle(room);
  const isRecorded = state.link.kind === "recorded";
  const main = useRef<HTMLElement>(null);
  const hasNoRooms = state.hasRooms && state.rooms.length === 0;
  return (
    <div className={`frame ${place.roomId === null && !hasNoRooms ? "shows-rooms" : "shows-room"}`}>
      {!isRecorded && (
        <button type="button" className="button skip" onClick={() => main.current?.focus()}>
          Skip the list of rooms
        </button>
      )}
      <Standing />
      {!isRecorded && (
        <aside className="frame-rooms" aria-label="All rooms">
          <div className="row spread brand">
            <strong>Talking Stick</strong>
            <Keys />
          </div>
          <Rooms />
        </aside>
      )}
      <main ref={main} tabIndex={-1} className="frame-main">
        {room ? <OpenRoomFrame room={room} /> : <NoRoom />}
      </main>
      {footer !== undefined && <footer className="frame-footer">{footer}</footer>}
    </div>
  );
}

function NoRoom(): ReactNode {
  const { state, place } = usePage();
  if (!state.hasRooms || (state.open?.roomId ?? null) !== place.roomId) return <Empty>Loading the room …</Empty>;
  if (state.rooms.length === 0) {
    return (
      <Empty>
        <p>There is no room yet. An agent or a person opens one in a directory:</p>
        <CommandLine words="tt join" />
        <p>It appears here by itself.</p>
      </Empty>
    );
  }
  if (place.roomId === null) {
    return (
      <Empty>
        <h1>Choose a room.</h1>
      </Empty>
    );
  }
  return (
    <Empty>
      <p>There is no such room any more, or you may not see it.</p>
      <a href={addressOf(START)}>All rooms</a>
    </Empty>
  );
}

function OpenRoomFrame({ room }: { readonly room: RoomView }): ReactNode {
  const { place, goTo, state } = usePage();
  const { view, roomId } = place;
  const [, View] = SHOWN[view];
  const newInTalk = useNewCount(room);
  const pressed = (event: KeyboardEvent) => {
    // Keys with Alt, Ctrl or Cmd are the browser's: Alt and the left arrow go back.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    // The focus moves at once, the view a moment later: keys may come faster than that.
    const at = VIEWS.findIndex((name) => event.target instanceof Element && event.target.id === `tab-${name}`);
    const moves: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = VIEWS.at(to % VIEWS.length) ?? view;
    goTo({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  // On a narrow page the chosen tab may be out of sight.
  useEffect(() => {
    document.getElementById(`tab-${view}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view]);
  return (
    <>
      <RoomHeader key={room.picture.roomId} room={room} />
      <div role="tablist" aria-label="Views of the room" className="tabs" onKeyDown={pressed}>
        {VIEWS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            className="tab"
            aria-selected={name === view}
            aria-controls="view"
            tabIndex={name === view ? 0 : -1}
            onClick={() => goTo({ view: name })}
          >
            {SHOWN[name][0]}
            {name === "talk" && view !== "talk" && newInTalk > 0 && <span className="badge">{newInTalk}</span>}
            {name === "mail" && state.unreadMail > 0 && <span className="badge">{state.unreadMail}</span>}
            {name === "notes" && room.picture.now.openNotes > 0 && (
              <span className="badge quiet">{room.picture.now.openNotes}</span>
            )}
          </button>
        ))}
      </div>
      <section id="view" role="tabpanel" aria-labelledby={`tab-${view}`} className="frame-view">
        <Announcer key={`said ${roomId}`} room={room} />
        <Failure key={`${roomId} ${view}`}>
          <View key={roomId} room={room} />
        </Failure>
      </section>
    </>
  );
}

/** What is wrong or limited at the moment. Nothing while all is well. */
function Standing(): ReactNode {
  const { state } = usePage();
  const { link, trouble, readOnly, isOpenRemoved } = state;
  const said: (readonly [tone: string, words: string])[] = [];
  if (link.kind === "behind") said.push(["warn", link.words]);
  if (link.kind === "ended") said.push(["bad", link.words]);
  if (trouble !== null && link.kind === "live")
    said.push(["warn", `Behind: the store cannot be read. ${trouble} The page tries again by itself.`]);
  if (isOpenRemoved && openPicture(state) !== null)
    said.push(["warn", "This room was removed. What you see is how it last was."]);
  if (readOnly !== null && link.kind !== "recorded") said.push(["accent", readOnly]);
  return (
    <div className="standing" role="status">
      {said.map(([tone, words]) => (
        <p key={words} className={`standing-line tone-${tone}`}>
          {visible(words)}
        </p>
      ))}
    </div>
  );
}

/** The tab of the browser says where the page is, and how much waits for the person. */
function useTitle(room: RoomView | null): void {
  const { state } = usePage();
  const questions = state.rooms.reduce((sum, picture) => sum + questionsIn(picture).length, 0);
  // A question that was not read yet is unread mail, too.
  const waiting = Math.max(questions, state.unreadMail);
  const name = room ? `${nameOfPath(room.picture.path)} – Talking Stick` : "Talking Stick";
  const title = waiting > 0 ? `(${waiting}) ${name}` : name;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
