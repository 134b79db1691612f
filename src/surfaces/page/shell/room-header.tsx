/** The top of a room: the stick, the queue, protection, the reason nobody moves, and what the person can do about it. */
import { type ReactNode, useState } from "react";
import { oneLine } from "../../../core/visible.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import { hasMoreToSay, placeWords, stickView } from "../../picture/board.ts";
import { give, pauseOrResume, take } from "../../picture/step-in.ts";
import { pauseWords, stickParts } from "../../picture/stick-words.ts";
import { stepWords, whyWords } from "../../picture/why-words.ts";
import { AgentName } from "../kit/agent-name.tsx";
import { CommandLine } from "../kit/command-line.tsx";
import { nameOfPath } from "../kit/name-of-path.ts";
import { useKeptFocus } from "../kit/use-kept-focus.ts";
import { type RoomView, usePage } from "../page-context.ts";
import { isInPast } from "../page-state.ts";
import { addressOf, START } from "../place.ts";
import { GiveForm } from "./give-form.tsx";
import { Keys } from "./keys.tsx";
import { Questions } from "./questions.tsx";
import { RoomActs } from "./room-acts.tsx";
import { tellsWhy } from "./room-needs.ts";

export function RoomHeader({ room }: { readonly room: RoomView }): ReactNode {
  const { state, nowMs } = usePage();
  const { picture } = room;
  const name = nameOfPath(picture.path);
  const [isGiving, setGiving] = useState(false);
  // Where there is little room, details are shown on demand.
  const [hasDetails, setDetails] = useState(false);
  const { box, onFocus } = useKeptFocus<HTMLElement>();
  return (
    <header
      ref={box}
      className={`room-header ${room.canAct ? "has-acts" : ""} ${hasDetails ? "" : "is-brief"}`}
      tabIndex={-1}
      aria-label={`Room ${name}`}
      onFocus={onFocus}
    >
      <h1 className="row room-title">
        <a className="back" href={addressOf(START)} aria-label="All rooms">
          ‹
        </a>
        <span className="room-name" title={oneLine(picture.path)}>
          {name}
        </span>
        <span className="room-path small detail">{placeWords(picture, nowMs)}</span>
      </h1>
      <StickLines room={room} />
      <div className="row acts">
        {room.canAct && <RoomActs room={room} isGiving={isGiving} onGive={setGiving} />}
        {/* A recording has no list of rooms, where they stand otherwise. */}
        {state.link.kind === "recorded" && <Keys />}
        <button
          type="button"
          className="link small details-button"
          aria-expanded={hasDetails}
          onClick={() => setDetails(!hasDetails)}
        >
          Details
        </button>
      </div>
      {isGiving && room.canAct && <GiveForm room={room} onDone={() => setGiving(false)} />}
      <WhyLine room={room} />
      <Questions room={room} />
    </header>
  );
}

const TONES: Readonly<Partial<Record<RoomPicture["now"]["state"], string>>> = {
  owned: "good",
  reserved: "warn",
  stale_owner: "warn",
  silent_owner: "warn",
  owner_gone: "bad",
};

/** Who has the stick and who waits for it, a pause, and what is well. */
function StickLines({ room }: { readonly room: RoomView }): ReactNode {
  const { nowMs, state } = usePage();
  const { picture } = room;
  const { now, why } = picture;
  const view = stickView(picture, nowMs);
  const { mark, text, detail } = stickParts(view);
  const pause = pauseWords(view);
  // The log of a moment in the past does not tell who waited, so that all was well is not known.
  const isWell = !why.isStuck && !hasMoreToSay(why) && now.state !== "closed" && !isInPast(state);
  return (
    <div className="stick-lines">
      <p className="row">
        <strong className={`standing-of-stick tone-${TONES[now.state] ?? "none"}`}>
          <span aria-hidden="true">{mark}</span> {text}
        </strong>
        {detail !== null && <span className="small muted detail">{detail}</span>}
        <Queue room={room} />
        <Protection picture={picture} />
        {isWell && <span className="small muted detail">Nobody is stuck.</span>}
      </p>
      {pause && (
        <p className="standing-of-stick tone-warn">
          <span aria-hidden="true">{pause[0]}</span> {pause[1]}
        </p>
      )}
      {now.holder?.purpose && (
        <p className="small muted foreign-text detail">Works on: {oneLine(now.holder.purpose)}</p>
      )}
    </div>
  );
}

const SHOWN_WAITERS = 4;

function Queue({ room }: { readonly room: RoomView }): ReactNode {
  const { queue } = room.picture.now;
  const [next, ...others] = queue;
  if (next === undefined) return null;
  const more = others.length - SHOWN_WAITERS + 1;
  return (
    <span className="row small">
      <span className="muted">Queue:</span>
      <AgentName room={room} agentId={next} />
      {others.length > 0 && (
        <>
          {others.slice(0, SHOWN_WAITERS - 1).map((agentId) => (
            <span key={agentId} className="detail">
              <AgentName room={room} agentId={agentId} />
            </span>
          ))}
          {more > 0 && <span className="muted detail">and {more} more</span>}
          <span className="muted in-brief">and {others.length} more</span>
        </>
      )}
    </span>
  );
}

function Protection({ picture }: { readonly picture: RoomPicture }): ReactNode {
  const { guard, protection, state } = picture.now;
  if (guard === "off" || state === "closed") return null;
  const level = protection === null ? "" : `, ${protection.level.replaceAll("_", " ")}`;
  const why = protection?.why ?? null;
  return (
    <span className="small muted detail">
      guard: {guard}
      {level}
      {why !== null && ` (${oneLine(why)})`}
    </span>
  );
}

/** Why nobody moves, if the lines above and the questions below do not say it, and what ends it. */
function WhyLine({ room }: { readonly room: RoomView }): ReactNode {
  const { nowMs } = usePage();
  const { picture } = room;
  const { reason } = picture.why;
  const words = tellsWhy(picture) ? whyWords(picture, nowMs) : null;
  const needsPerson = reason.kind === "question" || reason.kind === "permission";
  const tone = needsPerson ? "accent" : picture.why.isStuck ? "bad" : "none";
  return (
    <div className={`row why tone-${tone}`}>
      {words !== null && <p className="foreign-text">{words}</p>}
      {room.canAct && <WayOn room={room} isExplained={words !== null} />}
    </div>
  );
}

/** The buttons of the room do these too. */
const HAS_BUTTON: readonly string[] = ["wait_for_turn", "takeover_stick", "resume_room", "join_path"];

interface WayOnProps {
  readonly room: RoomView;
  /** Whether the reason stands beside it. */
  readonly isExplained: boolean;
}

/** The step that ends the reason: a button, or a command for a terminal. */
function WayOn({ room, isExplained }: WayOnProps): ReactNode {
  const { run, stepIn, goTo } = usePage();
  const { picture } = room;
  const { step } = picture.why;
  if (step === null || (!isExplained && HAS_BUTTON.includes(step.do))) return null;
  const given = step.with ?? {};
  const to = String(given["to_agent_id"] ?? given["to"] ?? "");
  const acts: Readonly<Partial<Record<typeof step.do, () => unknown>>> = {
    wait_for_turn: () => stepIn(room, take(picture, "")),
    takeover_stick: () => stepIn(room, take(picture, "")),
    give_stick: () => stepIn(room, give(picture, to, "")),
    resume_room: () => stepIn(room, pauseOrResume(picture, "")),
    request_stick: () => run("request_stick", { room_id: picture.roomId }),
    send_message: () => goTo({ view: "talk", item: `to:${to}` }),
  };
  const act = acts[step.do];
  if (act) {
    return (
      <button type="button" className="button" onClick={() => void act()}>
        {stepWords(step, picture)}
      </button>
    );
  }
  // A question is answered below.
  if (step.do !== "release_stick") return null;
  return (
    <p className="row small">
      <span className="muted">{stepWords(step, picture)}, in a terminal there:</span>
      <CommandLine words="tt release" />
    </p>
  );
}
