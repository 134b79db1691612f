/** A message in the talk: its sender and recipient, what became of it, and a way to answer. */
import type { ReactNode } from "react";
import { oneLine } from "../../../../core/visible.ts";
import { MARK_SIGNS, markWords } from "../../../picture/mark-words.ts";
import { messageKindWords } from "../../../picture/message-words.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { useItemTab } from "../../kit/long-list.tsx";
import { ClockTime } from "../../kit/when.tsx";
import { useSeen } from "../../mail/use-mail-desk.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import type { MessageRow, TalkReference } from "./talk-rows.ts";
import { beginningOf } from "./use-composer.ts";

interface TalkMessageRowProps {
  readonly room: RoomView;
  readonly row: MessageRow;
  readonly isMarked: boolean;
  /** It stands below an older question, so that no line above it says that it is new. */
  readonly isNew: boolean;
  readonly onAnswer: (row: MessageRow) => void;
}

export function TalkMessageRow({ room, row, isMarked, isNew, onAnswer }: TalkMessageRowProps): ReactNode {
  const { message, event, depth, answers } = row;
  const tabIndex = useItemTab();
  const { me } = room.picture;
  const isMine = message.from !== null && message.from === me;
  const marks = room.open.marks.get(message.messageId) ?? [];
  const isUnread = !isMine && marks.some(({ to, mark }) => to === me && mark !== "read" && mark !== "dead");
  const element = useSeen<HTMLDivElement>(isUnread ? message.messageId : null);
  // The thread says that it answers.
  const { replyTo: _, ...said } = event.payload;
  const kind = messageKindWords(said, isMine);
  const look = [
    "talk-message",
    `talk-depth-${depth}`,
    ...(message.isPersons ? ["talk-persons"] : []),
    ...(message.to === me ? ["talk-to-me"] : []),
    ...(isMarked ? ["talk-marked"] : []),
  ];
  // Only who received a message can answer it.
  const isRecipient = message.to === me || marks.some(({ to }) => to === me);
  const canAnswer = room.canAct && message.from !== null && !isMine && isRecipient;
  return (
    <div ref={element} className={look.join(" ")}>
      {answers && <Answered room={room} answers={answers} />}
      <div className="row">
        <AgentName room={room} agentId={message.from} />
        <span className="talk-to small">
          <span aria-hidden="true">→ </span>
          <span className="visually-hidden">to </span>
          {message.to === "room" ? "the room" : message.to === me ? "you" : room.nameOf(message.to)}
        </span>
        {isNew && <span className="chip tone-accent">new</span>}
        {kind !== "" && (
          <span className={`chip ${message.isInterrupt || message.wants !== null ? "tone-warn" : ""}`}>{kind}</span>
        )}
        <ClockTime at={message.at} />
        <Marks room={room} row={row} />
        {canAnswer && (
          <button type="button" className="link small talk-answer" tabIndex={tabIndex} onClick={() => onAnswer(row)}>
            Answer
          </button>
        )}
      </div>
      <ForeignText text={message.body} />
    </div>
  );
}

/** A late answer stands far from its question. */
function Answered({ room, answers }: { readonly room: RoomView; readonly answers: TalkReference }): ReactNode {
  const { goTo } = usePage();
  const tabIndex = useItemTab();
  const name =
    answers.from === null ? "a message" : answers.from === room.picture.me ? "you" : room.nameOf(answers.from);
  return (
    <button
      type="button"
      className="link small talk-answered"
      tabIndex={tabIndex}
      onClick={() => goTo({ item: `seq:${answers.seq}` })}
    >
      answers {name}: {oneLine(beginningOf(answers.body))}
    </button>
  );
}

/** The first few of many names. */
const MOST_NAMES = 20;

function Marks({ room, row }: { readonly room: RoomView; readonly row: MessageRow }): ReactNode {
  const marks = room.open.marks.get(row.message.messageId) ?? [];
  const words = markWords(marks, { me: room.picture.me, nameOf: room.nameOf });
  return words.map(({ mark, words: text, to }) => {
    const names = to
      .slice(0, MOST_NAMES)
      .map((agentId) => (agentId === room.picture.me ? "you" : room.nameOf(agentId)));
    const more = to.length > MOST_NAMES ? ` and ${to.length - MOST_NAMES} more` : "";
    return (
      <span key={mark} className={`talk-mark small talk-mark-${mark}`} title={`${names.join(", ")}${more}`}>
        <span aria-hidden="true">{MARK_SIGNS[mark]} </span>
        {text}
      </span>
    );
  });
}
