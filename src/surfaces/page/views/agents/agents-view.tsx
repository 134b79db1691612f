/** The agents of the room, and one of them in full. On a narrow page one of both. */
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { asAgentId } from "../../../../core/ids.ts";
import { oneLine } from "../../../../core/visible.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { Empty } from "../../kit/empty.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { Age } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { isInPast } from "../../page-state.ts";
import { AgentCard } from "./agent-card.tsx";
import { type AgentLine, agentLinesFor, knownAgents, type ListedAgent, standingOf, toneOf } from "./agent-facts.ts";
import "./agents.css";

const keyOf = ({ agentId }: AgentLine) => agentId ?? " more";

/** Fewer agents are found without a search. */
const MANY = 8;

export function AgentsView({ room }: { readonly room: RoomView }): ReactNode {
  const { place, goTo, state } = usePage();
  const [words, setWords] = useState("");
  const lines = useLines(room, useDeferredValue(words));
  const { item } = place;
  // An agent that the person chose in the list is in sight already.
  const [chosenHere, setChosenHere] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLDivElement>(null);
  useMovedFocus(item, list, card);
  const toggle = ({ agentId }: AgentLine) => {
    if (agentId === null) return;
    setChosenHere(agentId);
    goTo({ item: agentId === item ? null : agentId });
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) goTo({ item: null });
  };
  return (
    <section className="view agents-view" aria-label="Agents" data-open={item !== null} onKeyDown={pressed}>
      <div className="agents-columns">
        <div ref={list} className="agents-list">
          {(words !== "" || lines.length > MANY) && <SearchField words={words} onType={setWords} />}
          {lines.length === 0 ? (
            <Empty>{words === "" ? NOBODY : "No agent that the page knows has this in its name."}</Empty>
          ) : (
            <LongList
              label="Agents of this room"
              items={lines}
              keyOf={keyOf}
              itemSize={60}
              shown={item === chosenHere ? null : item}
              onOpen={toggle}
            >
              {(line) => <Line room={room} line={line} isOpen={line.agentId === item} onToggle={toggle} />}
            </LongList>
          )}
        </div>
        <div ref={card} className="agents-open">
          {item === null ? (
            <Empty>{state.link.kind === "recorded" ? CHOOSE_RECORDED : CHOOSE}</Empty>
          ) : (
            <AgentCard key={item} room={room} agentId={asAgentId(item)} />
          )}
        </div>
      </div>
    </section>
  );
}

const CHOOSE = "Choose an agent to see what it does, its turns and its transcript.";
const CHOOSE_RECORDED = "Choose an agent to see its turns, and what it said it does.";
const NOBODY =
  "Nobody is in this room. An agent comes in by itself when it works here with tt, or when a person calls it in.";

function useLines({ picture, open, nameOf }: RoomView, words: string): readonly AgentLine[] {
  const { events } = open.log;
  return useMemo(() => {
    const known = words === "" ? [] : knownAgents(picture, events);
    return agentLinesFor(picture, known, words, (agentId) => (agentId === picture.me ? "you" : nameOf(agentId)));
  }, [picture, events, nameOf, words]);
}

/** Into the card if it opens in the place of the list, and back to the list when it closes. */
function useMovedFocus(item: string | null, list: RefObject<HTMLElement | null>, card: RefObject<HTMLElement | null>) {
  const before = useRef(item);
  useEffect(() => {
    const wasOpen = before.current !== null;
    before.current = item;
    const { activeElement, body } = document;
    const isHidden = list.current?.offsetParent === null;
    if (item !== null && isHidden && list.current?.contains(activeElement)) {
      card.current?.querySelector<HTMLElement>("article")?.focus();
    } else if (item === null && wasOpen && activeElement === body) {
      const [row, whole] = ["[data-current=true]", "[role=list]"].map((selector) =>
        list.current?.querySelector<HTMLElement>(selector),
      );
      (row ?? whole)?.focus();
    }
  }, [item, list, card]);
}

interface SearchFieldProps {
  readonly words: string;
  readonly onType: (words: string) => void;
}

function SearchField({ words, onType }: SearchFieldProps): ReactNode {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || words === "") return;
    event.preventDefault();
    onType("");
  };
  return (
    <div className="agents-search" role="search">
      <input
        type="search"
        className="field"
        aria-label="Find an agent by its name"
        placeholder="Find by name"
        value={words}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={pressed}
      />
    </div>
  );
}

interface LineProps {
  readonly room: RoomView;
  readonly line: AgentLine;
  readonly isOpen: boolean;
  readonly onToggle: (line: AgentLine) => void;
}

function Line({ room, line, isOpen, onToggle }: LineProps): ReactNode {
  if (line.kind === "more") {
    return (
      <p className="agents-more muted small">
        and {line.count.toLocaleString("en")} more that are not listed. Find them by name.
      </p>
    );
  }
  return (
    <button
      type="button"
      className="list-choice agents-row"
      tabIndex={-1}
      aria-current={isOpen}
      data-kind={line.kind}
      onClick={() => onToggle(line)}
    >
      {line.kind === "unlisted" ? (
        <>
          <AgentName room={room} agentId={line.agentId} />
          <span className="agents-facts small">not in the list</span>
        </>
      ) : (
        <Listed room={room} agent={line} />
      )}
    </button>
  );
}

function Listed({ room, agent }: { readonly room: RoomView; readonly agent: ListedAgent }): ReactNode {
  const { nowMs, state } = usePage();
  const { sign, words, facts } = standingOf(agent, room.picture, nowMs);
  const row = agent.kind === "here" ? agent.row : null;
  const lastSeenAt = agent.kind === "here" ? null : agent.folded.lastSeenAt;
  return (
    <>
      <span className="row">
        {!isInPast(state) && (
          <span className={`chip ${toneOf(agent)}`}>
            <span aria-hidden="true">{sign}</span> {words}
          </span>
        )}
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
    </>
  );
}
