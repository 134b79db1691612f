/** The buttons over the timeline. */
import { type ReactNode, useState } from "react";
import { TimelineLegend } from "./timeline-legend.tsx";
import { DAY_MS, HOUR_MS, MINUTE_MS, type TimeWindow } from "./timeline-window.ts";

interface TimelineToolsProps {
  readonly window: TimeWindow;
  readonly onWindow: (window: TimeWindow) => void;
  readonly onZoom: (factor: number) => void;
  readonly isListShown: boolean;
  readonly onListShown: (isShown: boolean) => void;
  /** Null: the log is there from its beginning. */
  readonly onLoadOlder: (() => Promise<void>) | null;
}

const SPANS: readonly (readonly [label: string, spanMs: number | null])[] = [
  ["15 min", 15 * MINUTE_MS],
  ["Hour", HOUR_MS],
  ["Day", DAY_MS],
  ["All", null],
];
const ZOOM = 2;

export function TimelineTools(props: TimelineToolsProps): ReactNode {
  const { window, onWindow, onZoom, isListShown, onListShown, onLoadOlder } = props;
  return (
    <div className="view-head row timeline-tools">
      <div className="row timeline-spans" role="group" aria-label="Show the last">
        {SPANS.map(([label, spanMs]) => (
          <button
            key={label}
            type="button"
            className="button"
            aria-pressed={window.spanMs === spanMs && window.endMs === null}
            onClick={() => onWindow({ spanMs, endMs: null })}
          >
            {label}
          </button>
        ))}
      </div>
      <div className="row">
        <button type="button" className="button" aria-label="Zoom in" onClick={() => onZoom(1 / ZOOM)}>
          +
        </button>
        <button type="button" className="button" aria-label="Zoom out" onClick={() => onZoom(ZOOM)}>
          −
        </button>
        {window.endMs !== null && (
          <button type="button" className="button" onClick={() => onWindow({ ...window, endMs: null })}>
            Back to now
          </button>
        )}
      </div>
      <TimelineLegend />
      {onLoadOlder && <OlderEvents onLoad={onLoadOlder} />}
      <button
        type="button"
        className="button timeline-toggle"
        aria-pressed={isListShown}
        onClick={() => onListShown(!isListShown)}
      >
        As a list
      </button>
    </div>
  );
}

function OlderEvents({ onLoad }: { readonly onLoad: () => Promise<void> }): ReactNode {
  const [isLoading, setLoading] = useState(false);
  const load = () => {
    setLoading(true);
    void onLoad().finally(() => setLoading(false));
  };
  return (
    <button type="button" className="button" disabled={isLoading} onClick={load} aria-label="Load older events">
      {isLoading ? "Loading …" : "Load older"}
    </button>
  );
}
