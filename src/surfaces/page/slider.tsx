/** Moves the moment that a recording shows. It steps from event to event, so that a long silence takes no room. */
import { type ReactNode, useSyncExternalStore } from "react";
import { clockOf, wallMsOf } from "../../core/time.ts";
import { oneLine } from "../../core/visible.ts";
import { nameIn } from "../../peers/rules/picture.ts";
import { happeningWords } from "../picture/happening-words.ts";
import type { RecordedSource } from "./recorded-source.ts";
import "./style/slider.css";

interface SliderProps {
  readonly source: RecordedSource;
}

export function Slider({ source }: SliderProps): ReactNode {
  const position = useSyncExternalStore(source.subscribe, source.position);
  const { log, moveTo } = source;
  const { clock, words } = momentWords(source, position);
  return (
    <div className="slider">
      <div className="row slider-line">
        <button
          type="button"
          className="button"
          disabled={position === 0}
          onClick={() => moveTo(turnBefore(source, position))}
        >
          <span aria-hidden="true">‹</span> <span className="slider-name">Earlier turn</span>
        </button>
        <input
          type="range"
          className="slider-range"
          aria-label="Moment"
          aria-valuetext={`${clock}, event ${position} of ${log.last}: ${words}`}
          min={0}
          max={log.last}
          step={1}
          value={position}
          onChange={(event) => moveTo(event.currentTarget.valueAsNumber)}
        />
        <button
          type="button"
          className="button"
          disabled={position === log.last}
          onClick={() => moveTo(turnAfter(source, position))}
        >
          <span className="slider-name">Later turn</span> <span aria-hidden="true">›</span>
        </button>
      </div>
      <p className="slider-words foreign-text">
        <time dateTime={log.timeAt(position)}>{clock}</time>
        <span className="muted">
          {" "}
          event {position.toLocaleString("en")} of {log.last.toLocaleString("en")}:{" "}
        </span>
        {words}
      </p>
      <p className="small muted">{log.isEnd(position) ? AT_END : BEFORE_END}</p>
    </div>
  );
}

const AT_END = "A recording. Queue, activity and the marks of messages are as they were then.";
const BEFORE_END = "A recording. Its log does not tell who waited, who worked, and what was read.";

interface MomentWords {
  readonly clock: string;
  readonly words: string;
}

function momentWords({ log }: RecordedSource, position: number): MomentWords {
  const { day, time } = clockOf(wallMsOf(log.timeAt(position)));
  const words = log.isEnd(position) ? "the recording was made" : eventWords(log, position);
  return { clock: `${day} ${time}`, words };
}

function eventWords(log: RecordedSource["log"], position: number): string {
  const event = log.eventAt(position);
  if (event === null) return "the recording begins";
  const { names } = log.recording.place;
  const nameOf = (agentId: Parameters<typeof nameIn>[1]) => nameIn(names, agentId);
  const name = (agentId: Parameters<typeof nameIn>[1] | null, other: string) =>
    agentId === null ? other : oneLine(nameOf(agentId));
  if (event.type === "message_sent") {
    return `${name(event.fromAgentId, "tt")} wrote to ${name(event.toAgentId, "the room")}`;
  }
  return oneLine(happeningWords(event, { me: null, nameOf }));
}

/** Where a turn began: at the grant itself. */
function isGrant(source: RecordedSource, position: number): boolean {
  const type = source.log.eventAt(position)?.type;
  return type === "claim" || type === "takeover";
}

function turnBefore(source: RecordedSource, position: number): number {
  for (let at = position - 1; at > 0; at -= 1) if (isGrant(source, at)) return at;
  return 0;
}

function turnAfter(source: RecordedSource, position: number): number {
  const { last } = source.log;
  for (let at = position + 1; at < last; at += 1) if (isGrant(source, at)) return at;
  return last;
}
