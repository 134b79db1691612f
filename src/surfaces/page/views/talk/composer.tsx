/** Says something in the room: a message, an interrupt, a question that waits, or an answer. */
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useId, useMemo } from "react";
import type { AgentId } from "../../../../core/ids.ts";
import { oneLine, visible } from "../../../../core/visible.ts";
import { sentWords } from "../../../picture/why-words.ts";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { sendOnKeys } from "../../kit/send-keys.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import type { PageState } from "../../page-state.ts";
import {
  type AskedByMe,
  addressed,
  answering,
  askAgain,
  askDismissed,
  type LetterKind,
  type LetterState,
  ofKind,
  ROOM,
  typed,
} from "./composer-state.ts";
import { type RoomComposer, useComposer } from "./use-composer.ts";

interface ComposerProps {
  readonly room: RoomView;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

export function Composer({ room, field }: ComposerProps): ReactNode {
  const { state: page } = usePage();
  const [state, composer] = useComposer(room.picture.roomId);
  const isClosed = room.picture.now.state === "closed";
  if (page.link.kind === "recorded") return null;
  if (!room.canAct || isClosed) {
    return <p className="composer muted small">{visible(whyNoComposer(page, isClosed))}</p>;
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Escape" && state.answers !== null) {
      event.preventDefault();
      composer.change((now) => answering(now, null));
      return;
    }
    sendOnKeys(() => composer.send())(event);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void composer.send();
    field.current?.focus();
  };
  return (
    <form className="composer" onSubmit={submit} aria-label="Say something">
      <Awaited room={room} state={state} composer={composer} />
      <Answering room={room} state={state} composer={composer} />
      {state.answers === null && <Addressing room={room} state={state} composer={composer} />}
      <Field room={room} state={state} composer={composer} field={field} pressed={pressed} />
    </form>
  );
}

function whyNoComposer({ link, readOnly, isOpenRemoved }: PageState, isClosed: boolean): string {
  if (isOpenRemoved) return "This room was removed: nothing can be said here.";
  if (readOnly !== null) return "Read-only: nothing can be said here.";
  if (link.kind === "ended") return link.words;
  return isClosed ? "The room is closed: nothing can be said here until it is reopened." : "Not connected yet.";
}

interface PartProps {
  readonly room: RoomView;
  readonly state: LetterState;
  readonly composer: RoomComposer;
}

/** The person's own questions whose answer is still to come. */
function Awaited({ room, state, composer }: PartProps): ReactNode {
  return (
    <div className="composer-awaited" role="status">
      {state.asked.map((asked) => (
        <AwaitedOne key={asked.msgId} room={room} asked={asked} composer={composer} />
      ))}
    </div>
  );
}

interface AwaitedOneProps extends Pick<PartProps, "room" | "composer"> {
  readonly asked: AskedByMe;
}

function AwaitedOne({ room, asked, composer }: AwaitedOneProps): ReactNode {
  const name = room.nameOf(asked.to);
  const { state, words } = asked;
  const text = {
    awaited: `You asked ${name} and await the answer, for at most 5 minutes. You can go on meanwhile.`,
    answered: `${name} answered:`,
    late: `${words ?? ""} Your question to ${name} stays open. An answer that comes later is shown in the talk.`,
    refused: `Your question to ${name} was not sent. ${words ?? ""}`,
    unknown: `It is not known whether your question to ${name} was sent. ${words ?? ""} If it was, the talk shows it.`,
  }[state];
  const tone = { awaited: "", answered: "tone-good", late: "", refused: "tone-bad", unknown: "tone-bad" }[state];
  return (
    <div className={`notice composer-asked ${tone}`}>
      <p className="row">
        <span>{visible(text)}</span>
        {(state === "refused" || state === "unknown") && (
          <button type="button" className="link" onClick={() => composer.change((now) => askAgain(now, asked))}>
            Edit it again
          </button>
        )}
        {state !== "awaited" && (
          <button
            type="button"
            className="link"
            onClick={() => composer.change((now) => askDismissed(now, asked.msgId))}
          >
            Close
          </button>
        )}
      </p>
      {state === "answered" ? (
        <ForeignText text={words ?? ""} most={600} />
      ) : (
        <p className="muted small composer-quote">{oneLine(asked.text)}</p>
      )}
    </div>
  );
}

function Answering({ room, state: { answers }, composer }: PartProps): ReactNode {
  if (answers === null) return null;
  return (
    <p className="row composer-answers small">
      <span>
        Answer to <strong>{room.nameOf(answers.from)}</strong>
      </span>
      <span className="muted composer-quote">{oneLine(answers.words)}</span>
      <button type="button" className="link" onClick={() => composer.change((now) => answering(now, null))}>
        End (Escape)
      </button>
    </p>
  );
}

const KINDS: readonly (readonly [kind: LetterKind, words: string])[] = [
  ["message", "Message"],
  ["interrupt", "Interrupt"],
  ["ask", "Ask and wait"],
];

function Addressing({ room, state, composer }: PartProps): ReactNode {
  const id = useId();
  const { here, elsewhere } = recipientsIn(room, state.to);
  const options = (ids: readonly AgentId[]) =>
    ids.map((agentId) => (
      <option key={agentId} value={agentId}>
        {room.nameOf(agentId)}
      </option>
    ));
  return (
    <div className="row composer-to">
      <label htmlFor={`${id}-to`} className="muted small">
        To
      </label>
      <select
        id={`${id}-to`}
        className="field"
        value={state.to}
        onChange={({ target }) => composer.change((now) => addressed(now, target.value as LetterState["to"]))}
      >
        <option value={ROOM}>the room</option>
        {options(here)}
        {elsewhere.length > 0 && <optgroup label="Not here now">{options(elsewhere)}</optgroup>}
      </select>
      {state.to !== ROOM && (
        <>
          <label htmlFor={`${id}-kind`} className="muted small">
            as
          </label>
          <select
            id={`${id}-kind`}
            className="field"
            value={state.kind}
            onChange={({ target }) => composer.change((now) => ofKind(now, target.value as LetterKind))}
          >
            {KINDS.map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </>
      )}
    </div>
  );
}

/** The chosen one is in the list, also if it is in no list of the picture. */
function recipientsIn({ picture }: RoomView, chosen: LetterState["to"]) {
  const here = picture.agents.map(({ agentId }) => agentId).filter((agentId) => agentId !== picture.me);
  const { away, gone } = picture.folded;
  const folded = [...away, ...gone].map(({ agentId }) => agentId).filter((agentId) => agentId !== picture.me);
  const isListed = chosen === ROOM || here.includes(chosen) || folded.includes(chosen);
  return { here, elsewhere: isListed ? folded : [...folded, chosen] };
}

interface FieldProps extends PartProps, Pick<ComposerProps, "field"> {
  readonly pressed: (event: KeyboardEvent) => void;
}

const MOST_ROWS = 10;

function Field({ room, state, composer, field, pressed }: FieldProps): ReactNode {
  const id = useId();
  const { text, isSending, fault, answers, kind, to, sentTo } = state;
  const { nowMs } = usePage();
  const called = (agentId: LetterState["to"]) => (agentId === ROOM ? "the room" : room.nameOf(agentId));
  // A screen reader says each change of them, so they stay as they were when the message was sent.
  const told = useMemo(() => {
    if (sentTo === null) return null;
    return sentTo === ROOM ? "Sent to the room." : sentWords(room.picture, sentTo, nowMs);
  }, [sentTo]);
  const verb = answers !== null ? "Answer" : { message: "Send", interrupt: "Interrupt", ask: "Ask" }[kind];
  return (
    <>
      <div className="writing">
        <textarea
          ref={field}
          className="field"
          aria-label="Message"
          aria-describedby={`${id}-keys`}
          placeholder={answers !== null ? `Your answer to ${called(answers.from)}` : placeholderOf(kind, called(to))}
          rows={Math.min(MOST_ROWS, Math.max(1, text.split("\n").length))}
          value={text}
          onChange={({ target }) => composer.change((now) => typed(now, target.value))}
          onKeyDown={pressed}
        />
        <button type="submit" className="button primary" aria-disabled={isSending || text.trim() === ""}>
          {isSending ? "Sending …" : verb}
        </button>
      </div>
      {fault !== null && (
        <p className="notice tone-bad" role="alert">
          {visible(fault)} What you typed is still here.
        </p>
      )}
      <p className="muted small composer-status">
        <span role="status">{told !== null && `${told} The talk shows who has read it.`}</span>
        <span id={`${id}-keys`} className={sentTo === null ? "composer-keys" : "visually-hidden"}>
          Ctrl+Enter sends, on a Mac Cmd+Enter.
        </span>
      </p>
    </>
  );
}

function placeholderOf(kind: LetterKind, name: string): string {
  return { message: `Message to ${name}`, interrupt: `Message to ${name}, at once`, ask: `Question to ${name}` }[kind];
}
