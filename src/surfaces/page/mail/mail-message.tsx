/** A message to the person that this page took from the mailbox: who sent it, where, and a way to answer. */
import { type ReactNode, useRef, useState } from "react";
import { oneLine } from "../../../core/visible.ts";
import type { ReceivedMessage } from "../../../mail/rules/message.ts";
import { messageKindWords } from "../../picture/message-words.ts";
import { AnswerForm } from "../kit/answer-form.tsx";
import { ForeignText } from "../kit/foreign-text.tsx";
import { nameOfPath } from "../kit/name-of-path.ts";
import { ClockTime } from "../kit/when.tsx";
import { type RoomView, usePage } from "../page-context.ts";
import { useSeen } from "./use-mail-desk.ts";

interface MailMessageProps {
  readonly room: RoomView;
  readonly message: ReceivedMessage;
}

export function MailMessage({ room, message }: MailMessageProps): ReactNode {
  const { goTo, state } = usePage();
  // Also while the room that is open was removed: the message may be from another one.
  const mayAnswer = message.room.path !== null && state.readOnly === null;
  const [isAnswering, setAnswering] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const closeForm = () => {
    setAnswering(false);
    button.current?.focus();
  };
  const element = useSeen<HTMLElement>(message.messageId);
  const { messageId, from, handle, body, createdAt, room: of, late } = message;
  const name = oneLine(handle ?? room.nameOf(from));
  const words = [messageKindWords(message), ...(late ? ["an answer that came late"] : [])].filter(
    (word) => word !== "",
  );
  return (
    <article ref={element} className="mail-message" aria-label={`From ${name}`}>
      <header className="row">
        <strong>{name}</strong>
        {words.length > 0 && <span className="muted small">{words.join(", ")}</span>}
        <span className="muted small">{of.path === null ? "in a room that is gone" : `in ${nameOfPath(of.path)}`}</span>
        <ClockTime at={createdAt} />
      </header>
      <ForeignText text={body} />
      {mayAnswer && (
        <p className="row links">
          <button
            ref={button}
            type="button"
            className="link"
            aria-expanded={isAnswering}
            onClick={() => setAnswering(!isAnswering)}
          >
            Answer
          </button>
          <button type="button" className="link" onClick={() => goTo({ roomId: of.id, view: "talk", item: messageId })}>
            Show it in the talk
          </button>
        </p>
      )}
      {isAnswering && mayAnswer && <AnswerForm roomId={of.id} messageId={messageId} name={name} onDone={closeForm} />}
    </article>
  );
}
