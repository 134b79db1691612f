/** A message that will not be read: whose it is, why and when it died, and what a person can do about it. */
import { type ReactNode, useState } from "react";
import type { AgentId } from "../../../../core/ids.ts";
import { oneLine, visible } from "../../../../core/visible.ts";
import type { DeadLetterAnswer } from "../../../wire/page-answers.ts";
import { ActButton } from "../../kit/act-button.tsx";
import { AgentName } from "../../kit/agent-name.tsx";
import { AskingState } from "../../kit/empty.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { nameOfPath } from "../../kit/name-of-path.ts";
import { useAnswer } from "../../kit/use-answer.ts";
import { ClockTime } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { addressed, typed } from "../talk/composer-state.ts";
import { composerOf } from "../talk/use-composer.ts";
import type { UnreadMessage } from "./mail-rows.ts";

interface DeadLetterRowProps {
  readonly room: RoomView;
  readonly letter: DeadLetterAnswer;
  readonly onRequeued: () => void;
}

/** One of the person's own. */
export function DeadLetterRow({ room, letter, onRequeued }: DeadLetterRowProps): ReactNode {
  const { run, tell } = usePage();
  const [isBusy, setBusy] = useState(false);
  const { messageId, from, handle, room: of, body, reason, failedAt, attempts } = letter;
  const name = oneLine(handle ?? room.nameOf(from));
  const requeue = async () => {
    setBusy(true);
    const done = await run("dead_letters", { requeue: messageId });
    setBusy(false);
    if (done === null) return;
    tell("It is in your mail again.");
    onRequeued();
  };
  return (
    <article className="mail-dead" aria-label={`From ${name}, not delivered`}>
      <header className="row">
        <strong>{name}</strong>
        <span className="muted small">{of.path === null ? "in a room that is gone" : `in ${nameOfPath(of.path)}`}</span>
        <span className="small mail-why">
          {visible(whyWords(reason, attempts.length))} <ClockTime at={failedAt} />
        </span>
      </header>
      <ForeignText text={body} most={1000} />
      <p className="row links">
        <ActButton className="link" isActing={isBusy} onAct={() => void requeue()}>
          Put it back into your mail
        </ActButton>
      </p>
    </article>
  );
}

function whyWords(reason: string, attempts: number): string {
  const tries = attempts === 0 ? "" : ` after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  return `not delivered${tries}${reason === "" ? "" : `: ${reason}`}`;
}

interface UndeliveredRowProps {
  readonly room: RoomView;
  readonly unread: UnreadMessage;
}

const MOST_NAMES = 3;

/** What the person has begun to write stays. */
function behind(text: string, body: string): string {
  return text.trim() === "" ? body : `${text}\n\n${body}`;
}

/** One that others will not read. Only they can take it back; a person can say it again. */
export function UndeliveredRow({ room, unread: { event, to } }: UndeliveredRowProps): ReactNode {
  const { source, goTo } = usePage();
  const [isOpen, setOpen] = useState(false);
  const { body } = event.payload;
  const [only] = to;
  const sayAgain = (agentId: AgentId) => {
    composerOf(source, room.picture.roomId).change((state) =>
      typed(addressed(state, agentId), behind(state.text, body)),
    );
    goTo({ view: "talk", item: `to:${agentId}` });
  };
  return (
    <article className="mail-dead" aria-label="A message that will not be read">
      <header className="row">
        <AgentName room={room} agentId={event.fromAgentId} />
        <span className="muted small">
          <span aria-hidden="true">→ </span>
          <span className="visually-hidden">to </span>
          {to.slice(0, MOST_NAMES).map(room.nameOf).join(", ")}
          {to.length > MOST_NAMES && ` and ${to.length - MOST_NAMES} more`}
        </span>
        <ClockTime at={event.createdAt} />
      </header>
      <ForeignText text={body} most={400} />
      {isOpen && <WhyDead room={room} messageId={event.eventId} />}
      <p className="row links">
        <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Why
        </button>
        <button type="button" className="link" onClick={() => goTo({ view: "talk", item: event.eventId })}>
          Show it in the talk
        </button>
        {room.canAct && only !== undefined && to.length === 1 && only !== room.picture.me && (
          <button type="button" className="link" onClick={() => sayAgain(only)}>
            Say it again as your own message
          </button>
        )}
      </p>
    </article>
  );
}

function WhyDead({ room, messageId }: { readonly room: RoomView; readonly messageId: string }): ReactNode {
  const asking = useAnswer("message_status", { message_id: messageId });
  const dead = (asking.answer?.deliveries ?? []).filter(({ state }) => state === "dead_letter" || state === "expired");
  return (
    <>
      <AskingState asking={asking} what="the reason" />
      <ul className="small">
        {dead.slice(0, 20).map(({ deliverySeq, to, state, reason, attempts, purged, expiresAt }) => (
          <li key={deliverySeq} className="row">
            <strong>{room.nameOf(to)}</strong>
            <span>
              {state === "expired"
                ? `it expired${reason === undefined ? "" : `: ${visible(reason)}`}`
                : visible(whyWords(reason ?? "", attempts.length))}
              {purged ? ", and was purged" : ""}
            </span>
            <ClockTime at={attempts.at(-1)?.at ?? expiresAt} />
          </li>
        ))}
      </ul>
    </>
  );
}
