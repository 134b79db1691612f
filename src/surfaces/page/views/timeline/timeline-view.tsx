/** Who had the stick when, and what happened meanwhile: a canvas, and beside it the same as a list. */
import { type KeyboardEvent, type ReactNode, useCallback, useDeferredValue, useMemo, useState } from "react";
import { oneLine } from "../../../../core/visible.ts";
import { readersName } from "../../../picture/happening-words.ts";
import { firstSeqOf } from "../../event-log.ts";
import { Empty } from "../../kit/empty.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import "./timeline.css";
import { TimelineCanvas } from "./timeline-canvas.tsx";
import { type Lane, type Timeline, type TimelineItem, timelineOf } from "./timeline-items.ts";
import { anchorOf, keyEffect } from "./timeline-keys.ts";
import { inSight } from "./timeline-layout.ts";
import { TimelineList } from "./timeline-list.tsx";
import { TimelineTools } from "./timeline-tools.tsx";
import { panned, spanOf, type TimeExtent, type TimeWindow, WHOLE, zoomed } from "./timeline-window.ts";
import { itemTimes, itemWords, placeOfItem } from "./timeline-words.ts";

/** What the person looks at, and how they came to it. */
interface ChosenItem {
  readonly item: TimelineItem;
  readonly byKeys: boolean;
}

export function TimelineView({ room }: { readonly room: RoomView }): ReactNode {
  const { nowMs } = usePage();
  const { events } = room.open.log;
  const timeline = useMemo(() => timelineOf(events), [events]);
  const firstMs = timeline.extent?.firstMs ?? nowMs;
  // An event of this minute is later than the minute that ages are counted from.
  const lastMs = Math.max(nowMs, timeline.extent?.lastMs ?? nowMs);
  const extent = useMemo(() => ({ firstMs, nowMs: lastMs }), [firstMs, lastMs]);
  if (timeline.items.length > 0) return <ShownTimeline room={room} timeline={timeline} extent={extent} />;
  return (
    <Empty>
      Nothing to show yet. Each turn will be a bar in its agent's lane, and messages, takeovers and other events will be
      marks.
    </Empty>
  );
}

interface ShownTimelineProps {
  readonly room: RoomView;
  readonly timeline: Timeline;
  readonly extent: TimeExtent;
}

function ShownTimeline({ room, timeline, extent }: ShownTimelineProps): ReactNode {
  const { goTo, source } = usePage();
  const [window, setWindow] = useState<TimeWindow>(WHOLE);
  const [chosen, setChosen] = useState<ChosenItem | null>(null);
  const [isListShown, setListShown] = useState(false);
  const span = spanOf(window, extent);
  const { me } = room.picture;
  const { nameOf } = room;
  const wordsOf = useCallback(
    (item: TimelineItem) => itemWords(item, { me, nameOf }, extent.nowMs),
    [me, nameOf, extent.nowMs],
  );
  const open = useCallback((item: TimelineItem) => goTo(placeOfItem(item)), [goTo]);
  const point = useCallback((item: TimelineItem | null) => setChosen(item && { item, byKeys: false }), []);
  const listed = useListed(timeline.items, useDeferredValue(span.fromMs), useDeferredValue(span.toMs));

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = { window, extent, items: timeline.items, chosen: chosen?.item ?? null };
    const effect = keyEffect(event.key, shown);
    if (effect === null) return;
    event.preventDefault();
    setWindow(effect.window);
    setChosen(effect.chosen && { item: effect.chosen, byKeys: true });
    if (effect.opens && effect.chosen) open(effect.chosen);
  };
  const zoom = (factor: number, anchor = anchorOf(window)) =>
    setWindow((before) => zoomed(before, extent, factor, anchor));
  const pan = (share: number) => setWindow((before) => panned(before, extent, share * (span.toMs - span.fromMs)));

  const hasOlder = (firstSeqOf(room.open.log) ?? 1) > 1;
  return (
    <div className={`view timeline ${isListShown ? "timeline-as-list" : ""}`}>
      <TimelineTools
        window={window}
        onWindow={setWindow}
        onZoom={zoom}
        isListShown={isListShown}
        onListShown={setListShown}
        onLoadOlder={hasOlder ? source.loadOlder : null}
      />
      <div className="timeline-body">
        <TimelineCanvas
          timeline={timeline}
          span={span}
          nowMs={extent.nowMs}
          nameOf={(lane) => laneName(lane, room)}
          chosen={chosen?.item ?? null}
          isShown={chosen?.byKeys ?? false}
          describedBy={KEYS_ID}
          onChoose={point}
          onOpen={open}
          onZoom={zoom}
          onPan={pan}
          onKey={pressed}
        />
        <div className="timeline-list">
          <TimelineList items={listed} wordsOf={wordsOf} onOpen={open} onChoose={point} />
        </div>
      </div>
      <ItemLine item={chosen?.item ?? null} wordsOf={wordsOf} />
    </div>
  );
}

const KEYS_ID = "timeline-keys";

interface ItemLineProps {
  readonly item: TimelineItem | null;
  readonly wordsOf: (item: TimelineItem) => string;
}

/** What the person points at. */
function ItemLine({ item, wordsOf }: ItemLineProps): ReactNode {
  const keys = "Arrow keys up and down choose, Enter opens, left and right move, + and − zoom.";
  return (
    <p className="timeline-line" aria-live="polite">
      {/* Stays in the document: it describes the canvas. */}
      <span id={KEYS_ID} className="muted" hidden={item !== null}>
        {keys}
      </span>
      {item !== null && (
        <>
          <span className="when">{itemTimes(item)}</span> {wordsOf(item)}
        </>
      )}
    </p>
  );
}

function laneName({ agentId }: Lane, { picture, nameOf }: RoomView): string {
  return agentId === null ? "no agent" : oneLine(readersName(agentId, { me: picture.me, nameOf }));
}

/** The newest first. A turn that began earlier and reaches into the window is among them. */
function useListed(items: readonly TimelineItem[], fromMs: number, toMs: number): readonly TimelineItem[] {
  return useMemo(() => {
    const [first, end] = inSight(items, { fromMs, toMs });
    const reaching = items.slice(0, first).filter((item) => item.kind === "turn" && (item.toMs ?? toMs) >= fromMs);
    return [...reaching, ...items.slice(first, end)].toReversed();
  }, [items, fromMs, toMs]);
}
