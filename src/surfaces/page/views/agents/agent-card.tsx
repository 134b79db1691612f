/** One agent in full: how it stands, what it does, what it waits for, what it did, and what a person may do to it. */
import { type ReactNode, useMemo } from "react";
import type { RoomEvent } from "../../../../core/event.ts";
import type { AgentId } from "../../../../core/ids.ts";
import { oneLine } from "../../../../core/visible.ts";
import type { RoomPicture } from "../../../../peers/rules/picture.ts";
import { happeningWords } from "../../../picture/happening-words.ts";
import { agoOrJustNow, machineWords } from "../../../picture/stick-words.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { useKeptFocus } from "../../kit/use-kept-focus.ts";
import { Age, ClockTime } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { isInPast } from "../../page-state.ts";
import { AgentActs } from "./agent-acts.tsx";
import { bodyOf, findAgent, isMemberAfter, type ListedAgent, lastMoveOf, standingOf, toneOf } from "./agent-facts.ts";
import { AgentPast } from "./agent-past.tsx";
import { AgentTranscript } from "./agent-transcript.tsx";
import { AgentWaits } from "./agent-waits.tsx";

interface AgentCardProps {
  readonly room: RoomView;
  readonly agentId: AgentId;
}

export function AgentCard({ room, agentId }: AgentCardProps): ReactNode {
  const { goTo, state } = usePage();
  const { picture, canAct } = room;
  const agent = findAgent(picture, agentId);
  const { events } = room.open.log;
  const lastMove = useMemo(() => (agent === null ? lastMoveOf(events, agentId) : null), [agent, events, agentId]);
  const isMe = agentId === picture.me;
  const isMember = agent !== null || (picture.folded.notListed > 0 && isMemberAfter(lastMove));
  const { box, onFocus } = useKeptFocus<HTMLElement>();
  return (
    <article
      ref={box}
      className="agents-card stack"
      tabIndex={-1}
      aria-label={`Agent ${room.nameOf(agentId)}`}
      onFocus={onFocus}
    >
      <div className="row spread">
        <h2 className="row">
          <AgentName room={room} agentId={agentId} />
          <code className="muted small">{oneLine(agentId)}</code>
        </h2>
        <button type="button" className="link agents-back" onClick={() => goTo({ item: null })}>
          Close
        </button>
      </div>
      {agent === null ? (
        <NotListed room={room} lastMove={lastMove} isMember={isMember} />
      ) : (
        <Facts room={room} agent={agent} />
      )}
      {agent?.kind === "here" && <Need room={room} agent={agent} />}
      {canAct && isMember && !isMe && <AgentActs room={room} agentId={agentId} isGone={agent?.kind === "gone"} />}
      {agent?.kind === "here" && (!agent.row.isPerson || agent.row.card !== null) && <State agent={agent} />}
      {agent?.kind === "here" && <AgentWaits room={room} row={agent.row} />}
      <AgentPast room={room} agentId={agentId} />
      {state.link.kind === "recorded" ? (
        <p className="muted small">A recording has no transcripts.</p>
      ) : (
        !isMe && <AgentTranscript room={room} agentId={agentId} />
      )}
    </article>
  );
}

interface NotListedProps {
  readonly room: RoomView;
  readonly lastMove: RoomEvent | null;
  readonly isMember: boolean;
}

/** What there is to say of an agent that the picture does not have. */
function NotListed({ room, lastMove, isMember }: NotListedProps): ReactNode {
  const reader = { me: room.picture.me, nameOf: room.nameOf };
  return (
    <div className="muted">
      <p>
        {isMember
          ? "It is not in the list of this room, because others were seen later."
          : "It is not in the list of this room."}
      </p>
      {lastMove !== null && (
        <p className="row">
          <ClockTime at={lastMove.createdAt} />
          <span>{oneLine(happeningWords(lastMove, reader))}</span>
        </p>
      )}
    </div>
  );
}

type Here = ListedAgent & { readonly kind: "here" };

function Facts({ room, agent }: { readonly room: RoomView; readonly agent: ListedAgent }): ReactNode {
  const { nowMs, state } = usePage();
  const isPast = isInPast(state);
  const { picture } = room;
  const { sign, words } = standingOf(agent, picture, nowMs);
  const common = agent.kind === "here" ? agent.row : agent.folded;
  const { harness, holdsStick, isNext, unread, lastSeenAt } = common;
  const row = agent.kind === "here" ? agent.row : null;
  const stick = [
    ...(holdsStick ? [holdingWords(picture, nowMs)] : []),
    ...(isNext ? ["is next: the stick is reserved for it"] : []),
    ...(row && row.queuePosition !== null && !isNext ? [`waits for it, number ${row.queuePosition}`] : []),
  ];
  return (
    <dl className="agents-fields">
      {!isPast && (
        <Field name="Now">
          <span className={`chip ${toneOf(agent)}`}>
            <span aria-hidden="true">{sign}</span> {words}
          </span>
        </Field>
      )}
      <Field name="Stick">
        {stick.length > 0 ? stick.join(", ") : isPast ? "does not hold it" : "neither holds it nor waits for it"}
      </Field>
      {row && row.activity.state !== "unknown" && (
        <Field name="Activity">
          {row.activity.state === "busy" ? "works" : row.activity.state}
          {row.activity.since !== null && (
            <>
              {", since "}
              <Age at={row.activity.since} />
            </>
          )}
        </Field>
      )}
      {!isPast && <Field name="Last seen">{lastSeenAt === null ? "never" : <Age at={lastSeenAt} />}</Field>}
      {!isPast && <Field name="Unread mail">{unread === 0 ? "none" : unread.toLocaleString("en")}</Field>}
      <Field name="Harness">{row?.isPerson ? "a person" : oneLine(harness)}</Field>
      {row?.machine && <Field name="Machine">{machineWords(row.machine, nowMs)}</Field>}
      {row?.branch && (
        <Field name="Branch">
          <code>{oneLine(row.branch)}</code>
        </Field>
      )}
    </dl>
  );
}

function holdingWords({ now: { turnId, holder } }: RoomPicture, nowMs: number): string {
  const since = holder?.since ?? null;
  return `holds it, turn ${turnId}${since === null ? "" : `, taken ${agoOrJustNow(since, nowMs)}`}`;
}

function Field({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="agents-field">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What a person has to do for it. */
function Need({ room, agent }: { readonly room: RoomView; readonly agent: Here }): ReactNode {
  const { needs } = agent.row;
  const { events } = room.open.log;
  const messageId = needs?.kind === "answer" ? needs.messageId : undefined;
  const body = useMemo(() => bodyOf(events, messageId), [events, messageId]);
  if (needs === null) return null;
  const { nameOf, picture } = room;
  if (needs.kind === "permission") {
    return <p className="notice tone-accent">It needs you: a prompt in its own terminal waits for an answer.</p>;
  }
  // The head of the room has the form for the answer.
  const asked = needs.person === picture.me ? "It asks you. Answer above:" : `It asks ${nameOf(needs.person)}:`;
  return (
    <section className="notice tone-accent" aria-label="Its question">
      <p className="small muted">{asked}</p>
      <ForeignText text={body ?? needs.question ?? "The message is not there any more."} />
    </section>
  );
}

/** What it says of itself. */
function State({ agent }: { readonly agent: Here }): ReactNode {
  const { card } = agent.row;
  return (
    <section className="agents-section" aria-label="What it says it does">
      <h3>What it says it does</h3>
      {card === null ? (
        <p className="muted small">It has not said it.</p>
      ) : (
        <dl className="agents-fields">
          <Field name="Purpose">
            <ForeignText text={card.purpose} />
          </Field>
          {card.blockedOn !== undefined && (
            <Field name="Blocked on">
              <span className="agents-blocked">
                <ForeignText text={card.blockedOn} />
              </span>
            </Field>
          )}
          {card.files !== undefined && card.files.length > 0 && (
            <Field name="Files">
              <ul>
                {card.files.map((path) => (
                  <li key={path}>
                    <code>{oneLine(path)}</code>
                  </li>
                ))}
              </ul>
            </Field>
          )}
        </dl>
      )}
    </section>
  );
}
