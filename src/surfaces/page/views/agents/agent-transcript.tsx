/** A look into an agent's transcript or its terminal. Only the person asks for it; nothing repeats it. */

import { type ReactNode, useState } from "react";
import type { AgentId } from "../../../../core/ids.ts";
import { LIMITS } from "../../../../core/limits.ts";
import { span } from "../../../../core/time.ts";
import { oneLine } from "../../../../core/visible.ts";
import type { PageAnswers } from "../../../wire/page-answers.ts";
import { ActButton } from "../../kit/act-button.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { wordsOfError } from "../../kit/use-answer.ts";
import { ClockTime } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";

type Seen = PageAnswers["read_session"];
type Transcript = Extract<Seen, { readonly mode: "transcript" }>;

interface Looking {
  readonly isAsking: boolean;
  readonly seen: Seen | null;
  readonly failure: string | null;
  /** How many turns were asked for. */
  readonly turns: number;
}

const NOT_YET: Looking = { isAsking: false, seen: null, failure: null, turns: 0 };
const FIRST_TURNS = 20;
/** Enough for most turns; the server cuts what is longer. */
const BYTES_PER_TURN = 1200;
/** Further back by so much at each press. */
const FACTOR = 5;

interface AgentTranscriptProps {
  readonly room: RoomView;
  readonly agentId: AgentId;
}

export function AgentTranscript({ room, agentId }: AgentTranscriptProps): ReactNode {
  const [looking, look] = useLook(room, agentId);
  const { isAsking, seen, failure, turns } = looking;
  return (
    <section className="agents-section" aria-label="Its transcript">
      <div className="row spread">
        <h3>{seen?.mode === "pane" ? "Its terminal" : "Its transcript"}</h3>
        <ActButton isActing={isAsking} onAct={() => look(turns || FIRST_TURNS)}>
          {isAsking ? "Looking …" : seen === null && failure === null ? "Look into it" : "Look again"}
        </ActButton>
      </div>
      {failure !== null && (
        <div className="notice tone-bad" role="alert">
          <ForeignText text={failure} />
        </div>
      )}
      {seen?.mode === "pane" && <Pane seen={seen} />}
      {seen?.mode === "transcript" && (
        <Turns
          seen={seen}
          isAsking={isAsking}
          further={turns < LIMITS.turnsPerRead ? () => look(Math.min(turns * FACTOR, LIMITS.turnsPerRead)) : null}
        />
      )}
    </section>
  );
}

function useLook(room: RoomView, agentId: AgentId) {
  const { source } = usePage();
  const [looking, setLooking] = useState(NOT_YET);
  const look = (turns: number) => {
    setLooking((before) => ({ ...before, isAsking: true }));
    const max_bytes = Math.min(turns * BYTES_PER_TURN, LIMITS.transcriptBytes.max);
    const input = { room_id: room.picture.roomId, name: agentId, limit: turns, max_bytes, include_timestamps: true };
    source.ask("read_session", input).then(
      (seen) => setLooking({ isAsking: false, seen, failure: null, turns }),
      (error: unknown) => setLooking((before) => ({ ...before, isAsking: false, failure: wordsOfError(error) })),
    );
  };
  return [looking, look] as const;
}

function Pane({ seen }: { readonly seen: Extract<Seen, { readonly mode: "pane" }> }): ReactNode {
  return (
    <>
      <p className="muted small">
        The tmux pane {oneLine(seen.pane)}, as it was when you looked.
        {seen.charsTruncated && " Its beginning is cut off."}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard */}
      <div className="agents-pane" tabIndex={0} role="region" aria-label="The terminal's text">
        {seen.text.trim() === "" ? "It is empty." : <ForeignText text={seen.text} most={LIMITS.paneCharacters} />}
      </div>
    </>
  );
}

const SPEAKERS = { user: "User", assistant: "Assistant", tool: "Tool" } as const;

interface TurnsProps {
  readonly seen: Transcript;
  readonly isAsking: boolean;
  /** Null: no more can be read at once. */
  readonly further: (() => void) | null;
}

function Turns({ seen, isAsking, further }: TurnsProps): ReactNode {
  const { messages, countTruncated, bytesTruncated, skippedRecords, ageMs, totalMessages, totalMessagesExact } = seen;
  const numbered = messages.map((turn, index) => ({ ...turn, number: index - messages.length }));
  const isCut = countTruncated || bytesTruncated;
  const total = `${totalMessagesExact ? "" : "at least "}${totalMessages.toLocaleString("en")}`;
  return (
    <>
      <p className="row muted small">
        <span>
          The newest {messages.length} of {total} turns, as they were when you looked; it had last changed{" "}
          {ageMs < 1000 ? "just now" : `${span(ageMs)} before`}.
          {skippedRecords > 0 && ` ${skippedRecords} records were left out because they are not understood.`}
        </span>
        {isCut && further !== null && (
          <ActButton className="link" isActing={isAsking} onAct={further}>
            Look further back
          </ActButton>
        )}
      </p>
      {numbered.length === 0 ? (
        <p className="muted">There are no turns in it yet.</p>
      ) : (
        <div className="agents-transcript">
          <LongList label="Turns of the transcript" items={numbered} keyOf={({ number }) => number} followsEnd>
            {({ role, text, at }) => (
              <div className="agents-turn" data-role={role}>
                <p className="row small">
                  <strong>{SPEAKERS[role]}</strong>
                  {at && <ClockTime at={at} />}
                </p>
                <ForeignText text={text} most={role === "tool" ? 600 : 4000} />
              </div>
            )}
          </LongList>
        </div>
      )}
    </>
  );
}
