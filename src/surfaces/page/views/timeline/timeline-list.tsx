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
  readonly onOpen: (item: TimelineItem) => void;
  readonly onChoose: (item: TimelineItem | null) => void;
}

export const TimelineList = memo(function TimelineList(props: TimelineListProps): ReactNode {
  const { items, wordsOf, onOpen, onChoose } = props;
  if (items.length === 0) return <Empty>Nothing happened in the time that is shown. Zoom out to see more.</Empty>;
  return (
    <LongList
      label="Turns and events in the time that is shown, the newest first"
      items={items}
      keyOf={({ key }) => key}
      onOpen={onOpen}
      itemSize={50}
    >
      {(item) => (
        <button
          type="button"
          className="timeline-row"
          title={itemTimes(item)}
          onClick={() => onOpen(item)}
          onPointerEnter={() => onChoose(item)}
          onPointerLeave={() => onChoose(null)}
        >
          <span className="timeline-row-sign">
            <KindSign kind={item.kind} tone={item.agentId === null ? null : toneOf(item.agentId)} />
            <span className="visually-hidden">{KIND_WORDS[item.kind]}, </span>
          </span>
          <span className="timeline-row-time">{clockOf(item.atMs).time.slice(0, 5)}</span>
          <span className="timeline-row-words">{wordsOf(item)}</span>
        </button>
      )}
    </LongList>
  );
});
