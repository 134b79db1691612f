/** The signs of the timeline: each kind has a shape of its own, the same on the canvas and in the list. */
import type { ReactNode } from "react";
import type { MarkKind, TimelineItem } from "./timeline-items.ts";

export const MESSAGE_RADIUS = 2.6;

/** Around the origin, within 6 units to each side. */
export const SHAPES: Readonly<Record<TimelineItem["kind"], string>> = {
  turn: "M-6-3.5h12v7h-12z",
  takeover: "M0-5.5L5.5 4.5h-11z",
  given: "M-4.5-5.5L5.5 0-4.5 5.5z",
  kick: "M-5-3L-3-5 0-2 3-5 5-3 2 0 5 3 3 5 0 2-3 5-5 3-2 0z",
  foreign: "M0-6L6 0 0 6-6 0z",
  check: "M-5-5h10v10h-10z M-1.2-3.4v4h2.4v-4z M-1.2 1.6v2h2.4v-2z",
  paused: "M-4-5h3v10h-3z M1-5h3v10h-3z",
  resumed: "M-5-5h2.5v10h-2.5z M-1-5L5.5 0-1 5z",
  clock: "M-4.5-5.5h9L0 0l4.5 5.5h-9L0 0z",
  message: `M${-MESSAGE_RADIUS} 0a${MESSAGE_RADIUS} ${MESSAGE_RADIUS} 0 1 0 ${2 * MESSAGE_RADIUS} 0a${MESSAGE_RADIUS} ${MESSAGE_RADIUS} 0 1 0${-2 * MESSAGE_RADIUS} 0z`,
};

/** The variable of its colour; null: that of its agent. */
export const MARK_COLOURS: Readonly<Record<MarkKind, "--bad" | "--warn" | "--text" | null>> = {
  takeover: "--warn",
  given: "--text",
  kick: "--bad",
  foreign: "--bad",
  check: "--bad",
  paused: "--warn",
  resumed: "--warn",
  clock: "--warn",
  message: null,
};

export const KIND_WORDS: Readonly<Record<TimelineItem["kind"], string>> = {
  turn: "turn",
  takeover: "takeover",
  given: "stick given",
  kick: "agent removed",
  foreign: "write without the stick",
  check: "check failed",
  paused: "pause",
  resumed: "end of a pause",
  clock: "clock went back",
  message: "message",
};

export function KindSign({
  kind,
  tone,
}: {
  readonly kind: TimelineItem["kind"];
  readonly tone: number | null;
}): ReactNode {
  const variable = kind === "turn" ? null : MARK_COLOURS[kind];
  const colour = variable ?? (tone === null ? "--muted" : `--tone-${tone}`);
  return (
    <svg className="timeline-sign" viewBox="-7 -7 14 14" aria-hidden="true" style={{ fill: `var(${colour})` }}>
      <path d={SHAPES[kind]} fillRule="evenodd" />
    </svg>
  );
}
