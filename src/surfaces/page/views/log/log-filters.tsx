/** The fields by which the log is filtered. */
import { type ReactNode, useMemo } from "react";
import { asAgentId } from "../../../../core/ids.ts";
import type { RoomView } from "../../page-context.ts";
import { agentsToChoose, GROUP_WORDS, LOG_GROUPS, type LogFilter, type LogGroup } from "./log-filter.ts";
import { LogSpan } from "./log-span.tsx";

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
      <LogSpan from={filter.from} until={filter.until} onChange={(span) => onChange({ ...filter, ...span })} />
    </form>
  );
}
