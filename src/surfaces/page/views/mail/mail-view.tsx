/** Mail to the person from any room, and what could not be delivered: to them, and to others in this room. */
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { visible } from "../../../../core/visible.ts";
import type { DeadLetterAnswer } from "../../../wire/page-answers.ts";
import { CommandLine } from "../../kit/command-line.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { useAnswer } from "../../kit/use-answer.ts";
import { useKeptFocus } from "../../kit/use-kept-focus.ts";
import { MailMessage } from "../../mail/mail-message.tsx";
import { useMailDesk } from "../../mail/use-mail-desk.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import { DeadLetterRow, UndeliveredRow } from "./dead-letter-row.tsx";
import "./mail-view.css";
import { deadInOrder, type MailRow, mailRows, undeliveredIn } from "./mail-rows.ts";

export function MailView({ room }: { readonly room: RoomView }): ReactNode {
  const { state } = usePage();
  const { box, onFocus } = useKeptFocus<HTMLDivElement>();
  const { held, fault } = useMailDesk();
  const dead = useDeadLetters(state.unreadMail);
  const events = useDeferredValue(room.open.log.events);
  const { marks } = room.open;
  const { me, roomId } = room.picture;
  const undelivered = useMemo(() => undeliveredIn(events, marks, me), [events, marks, me]);
  const letters = useMemo(() => dead.letters && deadInOrder(dead.letters, roomId), [dead.letters, roomId]);
  const rows = useMemo(
    () => mailRows({ held, dead: letters, moreAfter: dead.moreAfter, undelivered }),
    [held, letters, dead.moreAfter, undelivered],
  );
  return (
    <div ref={box} className="view" tabIndex={-1} onFocus={onFocus}>
      {[fault, dead.fault].map(
        (words, index) =>
          words !== null && (
            // There are two, and they never change places.
            // oxlint-disable-next-line react/no-array-index-key
            <p key={index} className="notice tone-bad mail-notice" role="alert">
              {visible(words)}
            </p>
          ),
      )}
      <LongList<MailRow> label="Mail" items={rows} keyOf={keyOfRow} itemSize={64}>
        {(row) => <Row room={room} row={row} dead={{ ...dead, letters }} />}
      </LongList>
    </div>
  );
}

function keyOfRow({ key }: MailRow): string {
  return key;
}

interface RowProps {
  readonly room: RoomView;
  readonly row: MailRow;
  readonly dead: Dead;
}

const HEADS: Readonly<Record<Extract<MailRow, { kind: "head" }>["part"], string>> = {
  mail: "Mail for you",
  mine: "Mail that did not reach you",
  others: "Messages of this room that will not be read",
};

function Row({ room, row, dead }: RowProps): ReactNode {
  switch (row.kind) {
    case "head":
      return (
        <header className="mail-head">
          <h2>{HEADS[row.part]}</h2>
          {row.part === "mine" && dead.letters !== null && dead.letters.length > 0 && (
            <p className="muted small">
              To delete all of it for good, also that of other rooms: <CommandLine words="tt dlq purge" /> It asks
              first.
            </p>
          )}
        </header>
      );
    case "none":
      return <None part={row.part} />;
    case "mail":
      return <MailMessage room={room} message={row.message} />;
    case "dead":
      return <DeadLetterRow room={room} letter={row.letter} onRequeued={dead.again} />;
    case "more":
      return (
        <p className="mail-more">
          <button type="button" className="link" onClick={() => dead.goOn(row.after)}>
            Show newer ones
          </button>
        </p>
      );
    case "undelivered":
      return <UndeliveredRow room={room} unread={row.unread} />;
  }
}

const HOW_READ =
  "What agents of any room send to you is shown here, or in the talk of its room, and counts as read once it was on this screen.";

type NoneProps = Pick<Extract<MailRow, { kind: "none" }>, "part">;

function None({ part }: NoneProps): ReactNode {
  const { state } = usePage();
  const words = {
    mail:
      state.readOnly === null
        ? `${waitingWords(state.unreadMail)} ${HOW_READ}`
        : "This page may not take your mail. It stays where it is, for another page or: tt msg recv",
    mine: "None. Mail that nothing could show you in time is kept here.",
    others:
      "None in the part of the log that is loaded. What its recipient did not take in time is listed here, with the reason.",
  }[part];
  return <p className="mail-none muted">{state.link.kind === "recorded" ? recordedWords(part, state.link) : words}</p>;
}

function waitingWords(unread: number): string {
  if (unread === 0) return "Nothing waits for you.";
  const [count, it] = unread === 1 ? ["1 message waits", "It is"] : [`${unread} messages wait`, "They are"];
  return `${count}. ${it} on the way here, or on another page or in a program at the moment.`;
}

function recordedWords(part: NoneProps["part"], { isPast }: { readonly isPast: boolean }): string {
  if (part !== "others") return "A recording does not have it.";
  if (isPast)
    return "The log does not tell which messages were read. The end of the recording does, if it reaches that far.";
  return "None at the moment of the recording.";
}

export interface Dead {
  /** Null: they are not known, or this page may not ask. */
  readonly letters: readonly DeadLetterAnswer[] | null;
  readonly moreAfter: number | null;
  readonly fault: string | null;
  readonly again: () => void;
  readonly goOn: (after: number) => void;
}

/** Pages are asked one after the other; the pages before stay. */
function useDeadLetters(unread: number): Dead {
  const { state } = usePage();
  const mayAsk = state.readOnly === null && state.link.kind !== "recorded";
  const [after, setAfter] = useState(0);
  const [round, setRound] = useState(0);
  const [before, setBefore] = useState<readonly DeadLetterAnswer[]>([]);
  const asking = useAnswer("dead_letters", mayAsk ? { after } : null, `${round} ${unread}`);
  const answer = asking.answer !== null && "deadLetters" in asking.answer ? asking.answer : null;
  const page = answer?.deadLetters ?? null;
  return {
    letters: page === null && before.length === 0 ? null : [...before, ...(page ?? [])],
    moreAfter: answer?.hasMore ? answer.cursorDeliverySeq : null,
    fault: mayAsk && asking.kind === "failed" ? asking.words : null,
    again: () => {
      setBefore([]);
      setAfter(0);
      setRound(round + 1);
    },
    goOn: (next) => {
      setBefore([...before, ...(page ?? [])]);
      setAfter(next);
    },
  };
}
