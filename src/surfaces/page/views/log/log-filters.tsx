/** The fields by which the log is filtered. */
import { type ReactNode, useMemo } from "react";
import type { RoomEvent } from "../../../../core/event.ts";
import { type AgentId, asAgentId } from "../../../../core/ids.ts";
import type { RoomPicture } from "../../../../peers/rules/picture.ts";
import type { RoomView } from "../../page-context.ts";
import { GROUP_WORDS, isFiltering, LOG_GROUPS, type LogFilter, type LogGroup, NO_FILTER } from "./log-filter.ts";

interface LogFiltersProps {
  readonly room: RoomView;
  readonly filter: LogFilter;
  readonly onChange: (filter: LogFilter) => void;
  /** While the person types. What was typed counts for the address when the person leaves the field. */
  readonly onType: (text: string) => void;
}

export function LogFilters({ room, filter, onChange, onType }: LogFiltersProps): ReactNode {
  const { picture, open, nameOf } = room;
  const agents = useMemo(
    () => agentsToChoose(picture, open.log.events, filter.agent),
    [picture, open.log.events, filter.agent],
  );
  return (
    <form
      role="search"
      aria-label="Filter the log"
      className="log-filters"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(filter);
      }}
    >
      <select
        className="field"
        aria-label="Show"
        value={filter.group}
        onChange={(event) => onChange({ ...filter, group: event.target.value as LogGroup })}
      >
        {LOG_GROUPS.map((group) => (
          <option key={group} value={group}>
            {GROUP_WORDS[group]}
          </option>
        ))}
      </select>
      <select
        className="field"
        aria-label="Agent"
        value={filter.agent ?? ""}
        onChange={(event) =>
          onChange({ ...filter, agent: event.target.value === "" ? null : asAgentId(event.target.value) })
        }
      >
        <option value="">All agents</option>
        {agents.map((agentId) => (
          <option key={agentId} value={agentId}>
            {agentId === picture.me ? "you" : nameOf(agentId)}
          </option>
        ))}
      </select>
      <input
        type="search"
        className="field log-words-field"
        aria-label="Words"
        value={filter.text}
        placeholder="Words in it"
        onChange={(event) => onType(event.target.value)}
        onBlur={() => onChange(filter)}
      />
      {isFiltering(filter) && (
        <button type="button" className="button" onClick={() => onChange(NO_FILTER)}>
          Clear
        </button>
      )}
    </form>
  );
}

/** A longer list helps nobody to choose. Its other agents are found by words. */
const MOST_AGENTS = 200;

/** Those that are here, then those that acted last. */
export function agentsToChoose(
  { agents, folded }: Pick<RoomPicture, "agents" | "folded">,
  events: readonly RoomEvent[],
  chosen: AgentId | null,
): readonly AgentId[] {
  const listed = [...agents, ...folded.gone, ...folded.away].map(({ agentId }) => agentId);
  const all = new Set([...(chosen === null ? [] : [chosen]), ...listed]);
  for (let at = events.length - 1; at >= 0 && all.size < MOST_AGENTS; at -= 1) {
    const author = events[at]?.fromAgentId ?? null;
    if (author !== null) all.add(author);
  }
  return [...all].slice(0, MOST_AGENTS);
}
