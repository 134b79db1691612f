/** One event of the log: a line, and when it is open all that it has. */
import type { MouseEvent, ReactNode } from "react";
import type { RoomEvent } from "../../../../core/event.ts";
import type { AgentId } from "../../../../core/ids.ts";
import { clockOf, wallMsOf } from "../../../../core/time.ts";
import { cutTo, oneLine } from "../../../../core/visible.ts";
import { happeningWords } from "../../../picture/happening-words.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { HandoffFields } from "../../kit/handoff-fields.tsx";
import { ClockTime } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import type { PagePlace } from "../../place.ts";
import { messageLine } from "./log-filter.ts";

interface LogLineProps {
  readonly room: RoomView;
  readonly event: RoomEvent;
  readonly isOpen: boolean;
  readonly onToggle: (event: RoomEvent) => void;
}

/** Of a text on one line; more would be cut off by the edge. */
const MOST_CHARACTERS = 300;

export function LogLine({ room, event, isOpen, onToggle }: LogLineProps): ReactNode {
  const toggled = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    // The arrow keys go on from the line that was clicked.
    currentTarget.closest<HTMLElement>(".long-list-item")?.focus();
    onToggle(event);
  };
  return (
    <article className="log-line" data-open={isOpen}>
      <button type="button" className="log-button" tabIndex={-1} aria-expanded={isOpen} onClick={toggled}>
        <span className="log-seq">{event.seq}</span>
        <ClockTime at={event.createdAt} />
        <Words room={room} event={event} />
      </button>
      {isOpen && <WholeEvent room={room} event={event} />}
    </article>
  );
}

function Words({ room, event }: Pick<LogLineProps, "room" | "event">): ReactNode {
  const reader = { me: room.picture.me, nameOf: room.nameOf };
  if (event.type === "message_sent") {
    return (
      <span className="log-words">
        <strong>{oneLine(messageLine(event, reader))}</strong>{" "}
        {oneLine(cutTo(event.payload.body.trim().replace(/\s+/g, " "), MOST_CHARACTERS))}
      </span>
    );
  }
  const isBad = event.type === "foreign_write";
  const words = oneLine(cutTo(happeningWords(event, reader).replace(/\s+/g, " "), MOST_CHARACTERS));
  return <span className={isBad ? "log-words log-bad" : "log-words"}>{words}</span>;
}

function WholeEvent({ room, event }: Pick<LogLineProps, "room" | "event">): ReactNode {
  const { type, payload, seq, eventId, turnId, fromAgentId, toAgentId, createdAt, reason, handoff } = event;
  const { body, ...rest } = payload as { readonly body?: unknown };
  const { day, time } = clockOf(wallMsOf(createdAt));
  const text = typeof body === "string" && body !== "" ? body : null;
  return (
    <dl className="log-whole">
      <Field name="Type">{oneLine(type)}</Field>
      <Field name="When">
        <time dateTime={createdAt}>
          {day}, {time} <span className="log-iso muted small">{oneLine(createdAt)}</span>
        </time>
      </Field>
      <Field name="Turn">
        {turnId === 0 ? "before the first" : <Link to={{ view: "turns", item: String(turnId) }}>Turn {turnId}</Link>}
      </Field>
      <Field name="By">
        <Agent room={room} agentId={fromAgentId} />
      </Field>
      {toAgentId !== null && (
        <Field name="To">
          <Agent room={room} agentId={toAgentId} />
        </Field>
      )}
      {reason !== null && (
        <Field name="Reason">
          <ForeignText text={reason} />
        </Field>
      )}
      {text !== null && (
        <Field name="Text">
          <ForeignText text={text} />
        </Field>
      )}
      {handoff !== null && (
        <Field name="Handoff">
          <HandoffFields handoff={handoff} />
        </Field>
      )}
      {Object.keys(rest).length > 0 && (
        <Field name="Payload">
          <Json value={rest} />
        </Field>
      )}
      <Field name="Event">
        <code>{oneLine(eventId)}</code>, number {seq}
      </Field>
      <MoreOf event={event} />
    </dl>
  );
}

/** Where else the page shows it. */
function MoreOf({ event }: { readonly event: RoomEvent }): ReactNode {
  if (event.type === "message_sent") {
    return (
      <Field name="See">
        <Link to={{ view: "talk", item: event.eventId }}>The message in the talk</Link>
      </Field>
    );
  }
  if (event.type !== "note_added" && event.type !== "note_resolved") return null;
  return (
    <Field name="See">
      <Link to={{ view: "notes", item: event.payload.noteId }}>The note and its text</Link>
    </Field>
  );
}

function Field({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="log-field">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Agent({ room, agentId }: { readonly room: RoomView; readonly agentId: AgentId | null }): ReactNode {
  if (agentId === null) return <AgentName room={room} agentId={null} />;
  return (
    <span className="row">
      <AgentName room={room} agentId={agentId} />
      <code className="muted">{oneLine(agentId)}</code>
      <Link to={{ view: "agents", item: agentId }}>Open</Link>
    </span>
  );
}

function Link({ to, children }: { readonly to: Partial<PagePlace>; readonly children: ReactNode }): ReactNode {
  const { goTo } = usePage();
  return (
    <button type="button" className="link" onClick={() => goTo(to)}>
      {children}
    </button>
  );
}

function Json({ value }: { readonly value: unknown }): ReactNode {
  return (
    <div className="log-json">
      <ForeignText text={JSON.stringify(value, null, 2)} />
    </div>
  );
}
