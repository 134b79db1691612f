/** What an agent did, as far as the log is loaded: its turns, and its writes without the stick. */
import { type ReactNode, useMemo } from "react";
import type { AgentId } from "../../../../core/ids.ts";
import { span, wallMsOf } from "../../../../core/time.ts";
import { oneLine } from "../../../../core/visible.ts";
import { happeningWords } from "../../../picture/happening-words.ts";
import { TURN_ENDED } from "../../../picture/turn-words.ts";
import { firstSeqOf } from "../../event-log.ts";
import { ClockTime } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { NO_FILTER } from "../log/log-filter.ts";
import { logItemOf } from "../log/log-place.ts";
import { foreignWritesOf, turnsOf } from "./agent-facts.ts";

interface AgentPastProps {
  readonly room: RoomView;
  readonly agentId: AgentId;
}

/** The newest. The other views have them all. */
const MOST_TURNS = 10;
const MOST_WRITES = 5;

export function AgentPast({ room, agentId }: AgentPastProps): ReactNode {
  const { goTo } = usePage();
  const { log } = room.open;
  const turns = useMemo(() => turnsOf(log.events, agentId), [log.events, agentId]);
  const writes = useMemo(() => foreignWritesOf(log.events, agentId), [log.events, agentId]);
  const isWhole = (firstSeqOf(log) ?? 1) === 1;
  const reader = { me: room.picture.me, nameOf: room.nameOf };
  const itsEvents = { filter: { ...NO_FILTER, agent: agentId }, seq: null };
  return (
    <>
      <section className="agents-section" aria-label="Its turns">
        <h3>Turns</h3>
        {turns.length === 0 && (
          <p className="muted small">{isWhole ? "It has had none." : "None in the part of the log that is loaded."}</p>
        )}
        <ul className="agents-lines">
          {turns.slice(0, MOST_TURNS).map(({ turnId, startedAt, endedAt, ended, endedBy, handoff }) => (
            <li key={turnId}>
              <span className="row">
                <button type="button" className="link" onClick={() => goTo({ view: "turns", item: String(turnId) })}>
                  Turn {turnId}
                </button>
                {startedAt !== null && <ClockTime at={startedAt} />}
                <span className="small muted">
                  {startedAt !== null && endedAt !== null && `${span(wallMsOf(endedAt) - wallMsOf(startedAt))}, `}
                  {ended === null ? "goes on" : TURN_ENDED[ended]}
                  {endedBy !== null &&
                    endedBy !== agentId &&
                    ` by ${endedBy === reader.me ? "you" : room.nameOf(endedBy)}`}
                </span>
              </span>
              {handoff !== null && <p className="agents-purpose small">{oneLine(handoff.status)}</p>}
            </li>
          ))}
        </ul>
        <p className="row small">
          {turns.length > MOST_TURNS && <span className="muted">and {turns.length - MOST_TURNS} before.</span>}
          <button type="button" className="link" onClick={() => goTo({ view: "log", item: logItemOf(itsEvents) })}>
            All that it did, in the log
          </button>
        </p>
      </section>
      {writes.length > 0 && (
        <section className="agents-section" aria-label="Its writes without the stick">
          <h3>Writes without the stick</h3>
          <ul className="agents-lines">
            {writes.slice(0, MOST_WRITES).map((event) => (
              <li key={event.seq}>
                <span className="row">
                  <ClockTime at={event.createdAt} />
                  <button
                    type="button"
                    className="link"
                    onClick={() => goTo({ view: "log", item: logItemOf({ filter: NO_FILTER, seq: event.seq }) })}
                  >
                    Event {event.seq}
                  </button>
                </span>
                <span className="small">{oneLine(happeningWords(event, reader))}</span>
              </li>
            ))}
          </ul>
          {writes.length > MOST_WRITES && <p className="muted small">and {writes.length - MOST_WRITES} before.</p>}
        </section>
      )}
    </>
  );
}
