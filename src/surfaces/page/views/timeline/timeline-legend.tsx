/** What the signs of the timeline mean, for a person who asks. */
import type { FocusEvent, KeyboardEvent, ReactNode } from "react";
import { MARK_KINDS } from "./timeline-items.ts";
import { KIND_WORDS, KindSign } from "./timeline-shapes.tsx";

const KINDS = ["turn", ...MARK_KINDS] as const;
/** A turn and a message have the colour of their agent; here they have that of no agent. */
const NO_TONE = null;

export function TimelineLegend(): ReactNode {
  return (
    <details className="timeline-legend" onKeyDown={closeByEscape} onBlur={closeWhenLeft}>
      <summary className="button">Signs</summary>
      <ul className="timeline-legend-list">
        {KINDS.map((kind) => (
          <li key={kind}>
            <KindSign kind={kind} tone={NO_TONE} /> {KIND_WORDS[kind]}
          </li>
        ))}
        <li>
          <span className="timeline-legend-pause" aria-hidden="true" /> the room is paused
        </li>
        <li>
          <span className="timeline-legend-now" aria-hidden="true" /> now
        </li>
      </ul>
    </details>
  );
}

function closeByEscape(event: KeyboardEvent<HTMLDetailsElement>): void {
  const { currentTarget: legend } = event;
  if (event.key !== "Escape" || !legend.open) return;
  legend.open = false;
  legend.querySelector("summary")?.focus();
  event.stopPropagation();
}

function closeWhenLeft({ currentTarget: legend, relatedTarget }: FocusEvent<HTMLDetailsElement>): void {
  if (!legend.contains(relatedTarget)) legend.open = false;
}
