/** The top of a room: the stick, the queue, protection, the reason nobody moves, and what the person can do about it. */
import { type ReactNode, useState } from "react";
import { oneLine } from "../../../core/visible.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import { stickView } from "../../picture/board.ts";
import { give, pauseOrResume, questionsIn, take } from "../../picture/step-in.ts";
import { pauseWords, stickWords } from "../../picture/stick-words.ts";
import { stepWords, whyWords } from "../../picture/why-words.ts";
import { AgentName } from "../kit/agent-name.tsx";
import { AnswerForm } from "../kit/answer-form.tsx";
import { CommandLine } from "../kit/command-line.tsx";
import { nameOfPath } from "../kit/name-of-path.ts";
import { type RoomView, usePage } from "../page-context.ts";
import { addressOf, START } from "../place.ts";
import { GiveForm } from "./give-form.tsx";

const SHOWN_WAITERS = 4;
const TONES: Readonly<Partial<Record<RoomPicture["now"]["state"], string>>> = {
  owned: "good",
  reserved: "warn",
  stale_owner: "warn",
  owner_gone: "bad",
};

export function RoomHeader({ room }: { readonly room: RoomView }): ReactNode {
  const { nowMs } = usePage();
  const { picture } = room;
  const { now } = picture;
  const view = stickView(picture, nowMs);
  const [mark, words] = stickWords(view);
  const pause = pauseWords(view);
  return (
    <header className="room-header">
      <div className="row spread">
        <h1 className="row">
          <a className="back" href={addressOf(START)} aria-label="All rooms">
            ‹
          </a>
          <span className="room-name">{nameOfPath(picture.path)}</span>
          <span className="room-path small">{oneLine(picture.path)}</span>
        </h1>
        {room.canAct && <Actions room={room} />}
      </div>
      <div className="row stick-line">
        <span className={`standing-of-stick tone-${TONES[now.state] ?? "none"}`}>
          <span aria-hidden="true">{mark}</span> {words}
        </span>
        {pause && (
          <span className="standing-of-stick tone-warn">
            <span aria-hidden="true">{pause[0]}</span> {pause[1]}
          </span>
        )}
        <Queue room={room} />
        <Protection picture={picture} />
      </div>
      {now.holder?.purpose && (
        <p className="small muted foreign-text works-on">Works on: {oneLine(now.holder.purpose)}</p>
      )}
      <WhyLine room={room} />
      <Questions room={room} />
    </header>
  );
}

function Queue({ room }: { readonly room: RoomView }): ReactNode {
  const { queue } = room.picture.now;
  if (queue.length === 0) return null;
  const more = queue.length - SHOWN_WAITERS;
  return (
    <span className="row small">
      <span className="muted">{queue.length === 1 ? "waits:" : "wait, in this order:"}</span>
      {queue.slice(0, SHOWN_WAITERS).map((agentId) => (
        <AgentName key={agentId} room={room} agentId={agentId} />
      ))}
      {more > 0 && <span className="muted">and {more} more</span>}
    </span>
  );
}

function Protection({ picture }: { readonly picture: RoomPicture }): ReactNode {
  const { guard, protection, state } = picture.now;
  if (guard === "off" || state === "closed") return null;
  const level = protection === null ? "" : `, ${protection.level.replaceAll("_", " ")}`;
  return (
    <span className="small muted" title={protection?.why ?? undefined}>
      guard: {guard}
      {level}
      {protection?.why && <span className="visually-hidden">: {oneLine(protection.why)}</span>}
    </span>
  );
}

function WhyLine({ room }: { readonly room: RoomView }): ReactNode {
  const { nowMs, state } = usePage();
  const { picture } = room;
  const { reason, isStuck, step } = picture.why;
  const needsPerson = reason.kind === "question" || reason.kind === "permission";
  // The log of a moment in the past does not tell who waited, so that all was well is not known.
  if (state.link.kind === "recorded" && !isStuck && reason.kind !== "closed") return null;
  const tone = needsPerson ? "accent" : isStuck ? "bad" : "none";
  return (
    <div className={`row why tone-${tone}`}>
      <p className="foreign-text">{whyWords(picture, nowMs)}</p>
      {step !== null && room.canAct && <WayOn room={room} />}
    </div>
  );
}

/** A button for the step that ends the reason. */
function WayOn({ room }: { readonly room: RoomView }): ReactNode {
  const { run, stepIn, goTo } = usePage();
  const { picture } = room;
  const { step } = picture.why;
  if (step === null) return null;
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
  if (step.do === "release_stick") return <CommandLine words="tt release" />;
  return step.do === "join_path" ? <CommandLine words="tt join" /> : null;
}

/** What waits for the person's answer, with a place to answer. */
function Questions({ room }: { readonly room: RoomView }): ReactNode {
  const asked = questionsIn(room.picture);
  if (asked.length === 0) return null;
  return (
    <ul className="questions" aria-label="Questions to you">
      {asked.map(({ asker, name, messageId, words }) => (
        <li key={messageId} className="question">
          <div className="row">
            <AgentName room={room} agentId={asker} />
            <span className="muted small">asks you</span>
          </div>
          <p className="foreign-text">{words === "" ? "The message is not there any more." : oneLine(words)}</p>
          {room.canAct && <AnswerForm roomId={room.picture.roomId} messageId={messageId} name={name} />}
        </li>
      ))}
    </ul>
  );
}

function Actions({ room }: { readonly room: RoomView }): ReactNode {
  const { stepIn, tell } = usePage();
  const [isGiving, setGiving] = useState(false);
  const { picture } = room;
  const { now, me } = picture;
  const isMine = now.holder !== null && now.holder.agentId === me;
  if (now.state === "closed") return null;
  const takeIt = async () => {
    if (await stepIn(room, take(picture, "")))
      tell("The stick is yours. Hand it over with Give, or in a terminal: tt release");
  };
  return (
    <div className="row actions">
      {!isMine && (
        <button type="button" className="button" onClick={() => void takeIt()}>
          Take <span className="where-wide">the stick</span>
        </button>
      )}
      <button type="button" className="button" aria-expanded={isGiving} onClick={() => setGiving(!isGiving)}>
        Give <span className="where-wide">the stick</span> …
      </button>
      <button type="button" className="button" onClick={() => void stepIn(room, pauseOrResume(picture, ""))}>
        {now.paused === null ? "Pause" : "Resume"}
      </button>
      {isGiving && <GiveForm room={room} onDone={() => setGiving(false)} />}
    </div>
  );
}
