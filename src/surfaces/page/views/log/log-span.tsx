/** The fields for the time of the events: since a while ago, or between two moments. */
import { type ReactNode, useId, useState } from "react";
import { wallMsOf } from "../../../../core/time.ts";
import { localMinute } from "../../browser.ts";
import { usePage } from "../../page-context.ts";
import type { LogFilter } from "./log-filter.ts";
import { useTyped } from "./use-typed.ts";

type Span = Pick<LogFilter, "from" | "until">;

interface LogSpanProps extends Span {
  readonly onChange: (span: Span) => void;
}

const MINUTE_MS = 60_000;

/** The names of the choices, and how far back each goes. */
const AGO: Readonly<Record<string, number>> = {
  "Last 15 minutes": 15 * MINUTE_MS,
  "Last hour": 60 * MINUTE_MS,
  "Last day": 24 * 60 * MINUTE_MS,
  "Last week": 7 * 24 * 60 * MINUTE_MS,
};

const ANY = "Any time";
const CHOSEN = "Between";

export function LogSpan({ from, until, onChange }: LogSpanProps): ReactNode {
  const { nowMs } = usePage();
  const isSet = from !== null || until !== null;
  const [isOpen, setOpen] = useState(false);
  const chosen = (name: string) => {
    setOpen(name === CHOSEN);
    if (name === ANY) onChange({ from: null, until: null });
    const ms = AGO[name];
    // A moment, not a distance: the address shows the same events tomorrow, and the list does not move on.
    if (ms !== undefined) onChange({ from: minuteOf(nowMs - ms), until: null });
  };
  return (
    <>
      <select
        className="field"
        aria-label="Time"
        value={isSet || isOpen ? CHOSEN : ANY}
        onChange={(event) => chosen(event.target.value)}
      >
        {[ANY, ...Object.keys(AGO), CHOSEN].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {(isSet || isOpen) && (
        <span className="log-moments">
          <Moment label="From" at={from} onChange={(next) => onChange({ from: next, until })} />
          <Moment label="Until" at={until} onChange={(next) => onChange({ from, until: next })} />
        </span>
      )}
    </>
  );
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

interface MomentProps {
  readonly label: string;
  readonly at: number | null;
  readonly onChange: (at: number | null) => void;
}

function Moment({ label, at, onChange }: MomentProps): ReactNode {
  const id = useId();
  const placed = at === null ? "" : localMinute(at);
  const [text, setText] = useTyped(placed);
  const done = () => {
    if (text === placed) return;
    const ms = wallMsOf(text);
    onChange(Number.isNaN(ms) ? null : ms);
  };
  return (
    <span className="log-moment small muted">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        className="field"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key === "Enter") done();
        }}
      />
    </span>
  );
}
