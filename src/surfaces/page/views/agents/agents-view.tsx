/** The agents of the room, and one of them in full. On a narrow page one of both. */
import { type ReactNode, useState } from "react";
import { asAgentId } from "../../../../core/ids.ts";
import { oneLine } from "../../../../core/visible.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { Empty } from "../../kit/empty.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { Age } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { AgentCard } from "./agent-card.tsx";
import { type AgentLine, agentLinesOf, type ListedAgent, standingOf, toneOf } from "./agent-facts.ts";
import "./agents.css";

const keyOf = ({ agentId }: AgentLine) => agentId ?? " more";

export function AgentsView({ room }: { readonly room: RoomView }): ReactNode {
  const { place, goTo } = usePage();
  const lines = agentLinesOf(room.picture);
  const { item } = place;
  // An agent that the person chose in the list is in sight already.
  const [chosenHere, setChosenHere] = useState<string | null>(null);
  const toggle = ({ agentId }: AgentLine) => {
    if (agentId === null) return;
    setChosenHere(agentId);
    goTo({ item: agentId === item ? null : agentId });
  };
  if (lines.length === 0 && item === null) {
    return (
      <Empty>
        Nobody is in this room. An agent comes in by itself when it works here with tt, or when a person calls it in.
      </Empty>
    );
  }
  return (
    <section className="view agents-view" aria-label="Agents" data-open={item !== null}>
      <div className="agents-columns">
        <div className="agents-list">
          <LongList
            label="Agents of this room"
            items={lines}
            keyOf={keyOf}
            itemSize={60}
            shown={item === chosenHere ? null : item}
            onOpen={toggle}
          >
            {(line) =>
              line.kind === "more" ? (
                <p className="agents-more muted small">
                  and {line.count.toLocaleString("en")} more that are not listed
                </p>
              ) : (
                <Row room={room} agent={line} isOpen={line.agentId === item} onToggle={toggle} />
              )
            }
          </LongList>
        </div>
        <div className="agents-open">
          {item === null ? (
            <Empty>Choose an agent to see what it does, its turns and its transcript.</Empty>
          ) : (
            <AgentCard key={item} room={room} agentId={asAgentId(item)} />
          )}
        </div>
      </div>
    </section>
  );
}

interface RowProps {
  readonly room: RoomView;
  readonly agent: ListedAgent;
  readonly isOpen: boolean;
  readonly onToggle: (line: AgentLine) => void;
}

function Row({ room, agent, isOpen, onToggle }: RowProps): ReactNode {
  const { nowMs } = usePage();
  const { sign, words, facts } = standingOf(agent, room.picture, nowMs);
  const row = agent.kind === "here" ? agent.row : null;
  const lastSeenAt = agent.kind === "here" ? null : agent.folded.lastSeenAt;
  return (
    <button
      type="button"
      className="agents-row"
      tabIndex={-1}
      aria-current={isOpen}
      data-kind={agent.kind}
      onClick={() => onToggle(agent)}
    >
      <span className="row">
        <span className={`chip ${toneOf(agent)}`}>
          <span aria-hidden="true">{sign}</span> {words}
        </span>
        <AgentName room={room} agentId={agent.agentId} />
      </span>
      <span className="agents-facts small">
        {facts.join(", ")}
        {lastSeenAt !== null && (
          <>
            {facts.length > 0 && ", "}last seen <Age at={lastSeenAt} />
          </>
        )}
      </span>
      {row?.needs?.kind === "answer" && row.needs.question !== null && (
        <span className="agents-question small">{oneLine(row.needs.question.replace(/\s+/g, " "))}</span>
      )}
      {row?.card && <span className="agents-purpose small muted">{oneLine(row.card.purpose)}</span>}
      {row?.card?.blockedOn !== undefined && (
        <span className="agents-blocked small">blocked on: {oneLine(row.card.blockedOn)}</span>
      )}
    </button>
  );
}
