/** The same as on the canvas, for readers who cannot see it or would rather read: what the window shows, the newest first. */
import { memo, type ReactNode } from "react";
import { clockOf } from "../../../../core/time.ts";
import { toneOf } from "../../kit/agent-name.tsx";
import { Empty } from "../../kit/empty.tsx";
import { LongList } from "../../kit/long-list.tsx";
import type { TimelineItem } from "./timeline-items.ts";
import { KIND_WORDS, KindSign } from "./timeline-shapes.tsx";
import { itemTimes } from "./timeline-words.ts";

interface TimelineListProps {
  readonly items: readonly TimelineItem[];
  readonly wordsOf: (item: TimelineItem) => string;
  readonly chosenKey: string | null;
  readonly nowMs: number;
  readonly onOpen: (item: TimelineItem) => void;
  readonly onPoint: (item: TimelineItem | null) => void;
}

export const TimelineList = memo(function TimelineList(props: TimelineListProps): ReactNode {
  const { items, wordsOf, chosenKey, nowMs, onOpen, onPoint } = props;
  if (items.length === 0) return <Empty>Nothing happened in the time that is shown. Zoom out to see more.</Empty>;
  return (
    <LongList
      label="Turns and events in the time that is shown, the newest first"
      items={items}
      keyOf={({ key }) => key}
      onOpen={onOpen}
      shown={chosenKey}
      itemSize={50}
    >
      {(item) => (
        <button
          type="button"
          className="timeline-row"
          // Keys move among the items of the list.
          tabIndex={-1}
          title={itemTimes(item)}
          aria-current={item.key === chosenKey}
          onClick={() => onOpen(item)}
          onPointerEnter={() => onPoint(item)}
          onPointerLeave={() => onPoint(null)}
        >
          <span className="timeline-row-sign">
            <KindSign kind={item.kind} tone={item.agentId === null ? null : toneOf(item.agentId)} />
            <span className="visually-hidden">{KIND_WORDS[item.kind]}, </span>
          </span>
          <RowTime atMs={item.atMs} nowMs={nowMs} />
          <span className="timeline-row-words">{wordsOf(item)}</span>
        </button>
      )}
    </LongList>
  );
});

function RowTime({ atMs, nowMs }: { readonly atMs: number; readonly nowMs: number }): ReactNode {
  const { time, day } = clockOf(atMs);
  const now = clockOf(nowMs);
  // Today needs no day, and this year no year.
  const [, date, month, year] = day.split(" ");
  const named = now.day.endsWith(` ${year}`) ? `${date} ${month}` : `${month} ${year}`;
  return (
    <span className="timeline-row-time">
      {time}
      {day !== now.day && <span className="timeline-row-day">{named}</span>}
    </span>
  );
}
