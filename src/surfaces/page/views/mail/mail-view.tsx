/** Mail to the person from any room, and what could not be delivered: to them, and to others in this room. */
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { visible } from "../../../../core/visible.ts";
import type { DeadLetterAnswer } from "../../../wire/page-answers.ts";
import { CommandLine } from "../../kit/command-line.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { useAnswer } from "../../kit/use-answer.ts";
import { MailMessage } from "../../mail/mail-message.tsx";
import { useMailDesk } from "../../mail/use-mail-desk.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import { DeadLetterRow, UndeliveredRow } from "./dead-letter-row.tsx";
import "./mail-view.css";
import { deadInOrder, type MailRow, mailRows, undeliveredIn } from "./mail-rows.ts";

export function MailView({ room }: { readonly room: RoomView }): ReactNode {
  const { state } = usePage();
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
    <div className="view mail">
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
        {(row) => <Row room={room} row={row} dead={dead} />}
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

function None({ part }: Pick<Extract<MailRow, { kind: "none" }>, "part">): ReactNode {
  const { state } = usePage();
  const waiting =
    state.unreadMail === 0
      ? "Nothing waits for you."
      : `${state.unreadMail} unread, on their way here or shown by another page or program at the moment.`;
  const words = {
    mail: `${waiting} What agents send to you, in any room, is shown here or in the talk of its room. It counts as read once it was on this screen.`,
    mine: "None. A message that no surface could show you in time would be kept here.",
    others:
      "None in the part of the log that is loaded. A message that its recipient did not take in time would be listed here, with the reason.",
  }[part];
  const unknown = "In a recording, mail to you is not shown.";
  return <p className="mail-none muted">{part === "mail" && state.link.kind === "recorded" ? unknown : words}</p>;
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
