/** What is known of a turn besides its changes: who, when, how it ended, what was handed over, checked and written. */
import type { ReactNode } from "react";
import type { EventOf } from "../../../../core/event.ts";
import { shellWord } from "../../../../core/shell-word.ts";
import { clockOf, span, wallMsOf } from "../../../../core/time.ts";
import { oneLine } from "../../../../core/visible.ts";
import { happeningWords } from "../../../picture/happening-words.ts";
import { NOT_KEPT, TURN_ENDED } from "../../../picture/turn-words.ts";
import type { PageAnswers } from "../../../wire/page-answers.ts";
import { durationText } from "../../../words/duration-text.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { CommandLine } from "../../kit/command-line.tsx";
import { ForeignText } from "../../kit/foreign-text.tsx";
import { HandoffFields } from "../../kit/handoff-fields.tsx";
import { ClockTime } from "../../kit/when.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import type { TurnRow } from "./turn-rows.ts";

type ShownTurn = PageAnswers["show_turn"];

interface TurnFactsProps {
  readonly room: RoomView;
  readonly turn: TurnRow;
  /** Null: it has not come yet, or it is refused. */
  readonly shown: ShownTurn | null;
  readonly foreignWrites: readonly EventOf<"foreign_write">[];
}

export function TurnFacts({ room, turn, shown, foreignWrites }: TurnFactsProps): ReactNode {
  const handoff = turn.handoff ?? shown?.handoff ?? null;
  const { nowMs } = usePage();
  const { nameOf, picture } = room;
  return (
    <>
      <p className="row">
        <AgentName room={room} agentId={turn.agentId} />
        <span>
          <TurnTimes turn={turn} />
        </span>
        <TurnEnding room={room} turn={turn} />
      </p>
      {turn.reason !== null && (
        <div>
          <h3>Reason</h3>
          <ForeignText text={turn.reason} />
        </div>
      )}
      {handoff !== null && (
        <div>
          <h3>Handoff</h3>
          {/* Each check stands once. */}
          <HandoffFields handoff={{ ...handoff, checks: turn.checks }} nowMs={nowMs} />
        </div>
      )}
      {handoff === null && turn.checks.length > 0 && (
        <div>
          <h3>Checks</h3>
          <TurnChecks turn={turn} />
        </div>
      )}
      {foreignWrites.length > 0 && (
        <div>
          <h3>Written by others meanwhile</h3>
          <ul className="turns-facts-list">
            {foreignWrites.map((event) => (
              <li key={event.seq}>
                <ClockTime at={event.createdAt} /> {happeningWords(event, { me: picture.me, nameOf })}
              </li>
            ))}
          </ul>
        </div>
      )}
      {shown && shown.messages.length > 0 && <TurnMessages room={room} messages={shown.messages} />}
      {shown && shown.leftOut.length > 0 && (
        <div>
          <h3>Not kept</h3>
          <ul className="turns-facts-list">
            {shown.leftOut.map(({ path, why }) => (
              <li key={path}>
                <code>{oneLine(path)}</code>: {NOT_KEPT[why]}
              </li>
            ))}
          </ul>
        </div>
      )}
      {turn.isKept && <Restoring room={room} turn={turn} shown={shown} />}
    </>
  );
}

/** When, and for how long. */
export function TurnTimes({ turn }: { readonly turn: TurnRow }): ReactNode {
  const { nowMs } = usePage();
  const { startedAt, endedAt } = turn;
  if (startedAt === null) return <span className="when">it began before what is loaded of the log</span>;
  const from = wallMsOf(startedAt);
  const to = endedAt === null ? Math.max(nowMs, from) : wallMsOf(endedAt);
  const [start, end, now] = [from, to, nowMs].map((ms) => clockOf(ms)) as [ClockTexts, ClockTexts, ClockTexts];
  // The day is named where it is another one than the reader thinks.
  const begin = `${start.day === now.day ? "" : `${start.day}, `}${start.time}`;
  const until = endedAt === null ? "" : ` to ${end.day === start.day ? "" : `${end.day}, `}${end.time}`;
  return (
    <span className="when turns-times">
      <time dateTime={startedAt}>{begin}</time>
      {until}, {span(to - from)}
    </span>
  );
}

type ClockTexts = ReturnType<typeof clockOf>;

export function TurnEnding({ room, turn }: { readonly room: RoomView; readonly turn: TurnRow }): ReactNode {
  const { ended, endedBy, agentId } = turn;
  if (ended === null) return <span className="chip tone-accent">goes on</span>;
  const isByOther = endedBy !== null && endedBy !== agentId;
  const by = isByOther ? ` by ${endedBy === room.picture.me ? "you" : oneLine(room.nameOf(endedBy))}` : "";
  return <span className={isByOther ? "chip tone-warn" : "chip"}>{`${TURN_ENDED[ended]}${by}`}</span>;
}

/** Green and red are said by signs, too. */
export function TurnChecks({ turn }: { readonly turn: TurnRow }): ReactNode {
  return (
    <ul className="turns-facts-list">
      {turn.checks.map(({ command, exitCode, durationMs }, index) => (
        // Checks never move, and two may be alike.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} className={exitCode === 0 ? "turns-passed" : "turns-failed"}>
          <span>{exitCode === 0 ? "✓ passed" : `✗ failed with ${exitCode}`}</span> <code>{oneLine(command)}</code>{" "}
          <span className="muted small">{durationText(durationMs)}</span>
        </li>
      ))}
    </ul>
  );
}

interface TurnMessagesProps {
  readonly room: RoomView;
  readonly messages: ShownTurn["messages"];
}

function TurnMessages({ room, messages }: TurnMessagesProps): ReactNode {
  const { goTo } = usePage();
  return (
    <details>
      <summary>
        {messages.length} {messages.length === 1 ? "message" : "messages"} of that time
      </summary>
      <ul className="turns-facts-list">
        {messages.map(({ eventSeq, fromAgentId, toAgentId, createdAt, preview }) => (
          <li key={eventSeq}>
            <ClockTime at={createdAt} /> <AgentName room={room} agentId={fromAgentId} /> →{" "}
            {toAgentId === null ? "the room" : <AgentName room={room} agentId={toAgentId} />}{" "}
            <button type="button" className="link" onClick={() => goTo({ view: "talk", item: `seq:${eventSeq}` })}>
              {oneLine(preview)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface RestoringProps {
  readonly room: RoomView;
  readonly turn: TurnRow;
  readonly shown: ShownTurn | null;
}

/** A page writes no files of the project: the person does it in a terminal. */
function Restoring({ room, turn, shown }: RestoringProps): ReactNode {
  const path = shown?.files?.[0]?.path ?? "PATH";
  return (
    <details>
      <summary>Restore files from this turn</summary>
      <p>
        This gives files the content that they had at the end of turn {turn.turnId}. Name the files that you want, and
        run it in <code>{oneLine(room.picture.path)}</code>:
      </p>
      <p>
        <CommandLine words={`tt turn restore ${turn.turnId} -- ${shellWord(path)}`} />
      </p>
    </details>
  );
}
