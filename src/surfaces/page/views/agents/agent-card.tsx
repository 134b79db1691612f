/** One agent in full: how it stands, what it does, what it waits for, what it did, and what a person may do to it. */
import { type ReactNode, useMemo } from "react";
import type { AgentId } from "../../../../core/ids.ts";
import { oneLine } from "../../../../core/visible.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { AnswerForm } from "../../kit/answer-form.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { Age } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { AgentActs } from "./agent-acts.tsx";
import { bodyOf, findAgent, type ListedAgent, standingOf, toneOf } from "./agent-facts.ts";
import { AgentPast } from "./agent-past.tsx";
import { AgentTranscript } from "./agent-transcript.tsx";
import { AgentWaits } from "./agent-waits.tsx";

interface AgentCardProps {
  readonly room: RoomView;
  readonly agentId: AgentId;
}

export function AgentCard({ room, agentId }: AgentCardProps): ReactNode {
  const { goTo } = usePage();
  const agent = findAgent(room.picture, agentId);
  const isMe = agentId === room.picture.me;
  return (
    <article className="agents-card stack" aria-label={`Agent ${room.nameOf(agentId)}`}>
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
        <p className="muted">It is not in the list of this room: it has left, or it was not seen for long.</p>
      ) : (
        <Facts room={room} agent={agent} />
      )}
      {agent?.kind === "here" && <Need room={room} agent={agent} />}
      {room.canAct && agent !== null && !isMe && <AgentActs room={room} agent={agent} />}
      {agent?.kind === "here" && <State agent={agent} />}
      {agent?.kind === "here" && <AgentWaits room={room} row={agent.row} />}
      <AgentPast room={room} agentId={agentId} />
      {agent !== null && !isMe && <AgentTranscript room={room} agentId={agentId} />}
    </article>
  );
}

type Here = ListedAgent & { readonly kind: "here" };

function Facts({ room, agent }: { readonly room: RoomView; readonly agent: ListedAgent }): ReactNode {
  const { nowMs } = usePage();
  const { picture } = room;
  const { sign, words } = standingOf(agent, picture, nowMs);
  const common = agent.kind === "here" ? agent.row : agent.folded;
  const { harness, holdsStick, isNext, unread, lastSeenAt } = common;
  const row = agent.kind === "here" ? agent.row : null;
  const stick = [
    ...(holdsStick ? [`holds it, turn ${picture.now.turnId}`] : []),
    ...(isNext ? ["is next: the stick is reserved for it"] : []),
    ...(row && row.queuePosition !== null && !isNext ? [`waits for it, number ${row.queuePosition}`] : []),
  ];
  return (
    <dl className="agents-fields">
      <Field name="Now">
        <span className={`chip ${toneOf(agent)}`}>
          <span aria-hidden="true">{sign}</span> {words}
        </span>
      </Field>
      <Field name="Stick">{stick.length === 0 ? "neither holds it nor waits for it" : stick.join(", ")}</Field>
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
      <Field name="Last seen">{lastSeenAt === null ? "never" : <Age at={lastSeenAt} />}</Field>
      <Field name="Unread mail">{unread === 0 ? "none" : unread.toLocaleString("en")}</Field>
      <Field name="Harness">{row?.isPerson ? "a person" : oneLine(harness)}</Field>
      {row?.host && <Field name="Machine">{oneLine(row.host)}</Field>}
      {row?.branch && (
        <Field name="Branch">
          <code>{oneLine(row.branch)}</code>
        </Field>
      )}
    </dl>
  );
}

function Field({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="agents-field">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What a person has to do for it, with a place to answer. */
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
  const isMine = needs.person === picture.me;
  return (
    <section className="notice tone-accent" aria-label="Its question">
      <p className="small muted">{isMine ? "It asks you:" : `It asks ${nameOf(needs.person)}:`}</p>
      <ForeignText text={body ?? needs.question ?? "The message is not there any more."} />
      {isMine && room.canAct && (
        <AnswerForm
          key={needs.messageId}
          roomId={picture.roomId}
          messageId={needs.messageId}
          name={nameOf(agent.agentId)}
        />
      )}
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
