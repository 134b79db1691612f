/** The questions that wait for the person: each in full, and the form of one of them to answer. */
import { type ReactNode, useMemo, useState } from "react";
import type { EventId } from "../../../core/ids.ts";
import { type AskedQuestion, questionsIn } from "../../picture/step-in.ts";
import { AgentName } from "../kit/agent-name.tsx";
import { AnswerForm } from "../kit/answer-form.tsx";
import { ForeignText } from "../kit/foreign-text.tsx";
import { useSeen } from "../mail/use-mail-desk.ts";
import type { RoomView } from "../page-context.ts";

/** More characters are folded: the talk has them all. */
const MOST_CHARACTERS = 600;
const MOST_WHEN_CLOSED = 200;
/** The last character of a question of which the picture has only the beginning. */
const CUT = "…";

export function Questions({ room }: { readonly room: RoomView }): ReactNode {
  const asked = questionsIn(room.picture);
  const [chosen, setChosen] = useState<EventId | null>(null);
  if (asked.length === 0) return null;
  const answered = asked.find(({ messageId }) => messageId === chosen) ?? asked[0];
  return (
    <ul className="questions" aria-label="Questions to you">
      {asked.map((question) => (
        <Question
          key={question.messageId}
          room={room}
          question={question}
          isAnswered={question === answered}
          onAnswer={() => setChosen(question.messageId)}
        />
      ))}
    </ul>
  );
}

interface QuestionProps {
  readonly room: RoomView;
  readonly question: AskedQuestion;
  /** Whether its form is open. Otherwise only the beginning of a long one is shown. */
  readonly isAnswered: boolean;
  readonly onAnswer: () => void;
}

function Question({ room, question, isAnswered, onAnswer }: QuestionProps): ReactNode {
  const { asker, name, messageId, words } = question;
  const body = useBody(room, messageId) ?? words;
  const most = isAnswered ? MOST_CHARACTERS : MOST_WHEN_CLOSED;
  const isReadable = body !== "" && !body.endsWith(CUT) && (isAnswered || body.length <= most);
  const element = useSeen<HTMLLIElement>(isReadable ? messageId : null);
  return (
    // A form in which the person is stays open, also if another question comes before its question.
    <li className="question" ref={element} tabIndex={-1} onFocus={isAnswered ? onAnswer : undefined}>
      <div className="row">
        <AgentName room={room} agentId={asker} />
        <span className="muted small">asks you</span>
        {room.canAct && !isAnswered && (
          <button type="button" className="link small" onClick={onAnswer}>
            Answer
          </button>
        )}
      </div>
      {body === "" ? (
        <p className="muted">The message is not there any more.</p>
      ) : (
        <ForeignText text={body} most={most} />
      )}
      {room.canAct && isAnswered && <AnswerForm roomId={room.picture.roomId} messageId={messageId} name={name} />}
    </li>
  );
}

/** The whole text, if the page has that part of the log. */
function useBody({ open }: RoomView, messageId: EventId): string | null {
  const { events } = open.log;
  return useMemo(() => {
    const event = events.findLast(({ eventId }) => eventId === messageId);
    return event?.type === "message_sent" ? event.payload.body : null;
  }, [events, messageId]);
}
