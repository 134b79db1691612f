/** What an agent waits for and why, and who waits for it. */
import type { ReactNode } from "react";
import type { AgentRow } from "../../../../peers/rules/picture-agents.ts";
import type { WaitEdge } from "../../../../peers/rules/wait-graph.ts";
import { edgeWords, whyWords } from "../../../picture/why-words.ts";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { bodyOf, isReasonAbout, waitersFor } from "./agent-facts.ts";

interface AgentWaitsProps {
  readonly room: RoomView;
  readonly row: AgentRow;
}

export function AgentWaits({ room, row }: AgentWaitsProps): ReactNode {
  const { nowMs } = usePage();
  const { picture } = room;
  const { agentId, waitsFor, queuePosition, isNext } = row;
  const waiters = waitersFor(picture, agentId);
  const isQueued = queuePosition !== null && !waitsFor.some(({ awaits }) => awaits !== "answer");
  if (waitsFor.length === 0 && waiters.length === 0 && !isQueued) return null;
  return (
    <section className="agents-section" aria-label="What it waits for">
      <h3>Waiting</h3>
      <ul className="agents-lines">
        {isQueued && (
          <li>
            {isNext
              ? "It has the stick reserved and has not taken it yet."
              : `It waits for the stick, number ${queuePosition}.`}
          </li>
        )}
        {[...waitsFor, ...waiters].map((edge) => (
          <Edge key={JSON.stringify(edge)} room={room} edge={edge} />
        ))}
      </ul>
      {isReasonAbout(picture.why.reason, agentId) && (
        <p className="agents-why small">
          <span className="muted">Why: </span>
          {whyWords(picture, nowMs)}
        </p>
      )}
    </section>
  );
}

function Edge({ room, edge }: { readonly room: RoomView; readonly edge: WaitEdge }): ReactNode {
  const { goTo } = usePage();
  const { messageId } = edge;
  const body = bodyOf(room.open.log.events, messageId);
  return (
    <li>
      <span className="row">
        {edgeWords(edge, room.picture)}.
        {messageId !== undefined && (
          <button type="button" className="link" onClick={() => goTo({ view: "talk", item: messageId })}>
            See the question
          </button>
        )}
      </span>
      {body !== null && (
        <div className="agents-quote small">
          <ForeignText text={body} most={400} />
        </div>
      )}
    </li>
  );
}
