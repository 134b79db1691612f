/** Who had the stick when, and what happened meanwhile: a canvas, and beside it the same as a list. */
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { oneLine } from "../../../../core/visible.ts";
import { readersName } from "../../../picture/happening-words.ts";
import { olderThan } from "../../event-log.ts";
import { Empty } from "../../kit/empty.tsx";
import { wordsOfError } from "../../kit/use-answer.ts";
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

/** How a person left the timeline of a room. They find it so when they come back from what they opened. */
interface LeftTimeline {
  readonly window: TimeWindow;
  readonly chosenKey: string | null;
  readonly isListShown: boolean;
  /** From where the person opened an item. */
  readonly openedFrom: "canvas" | "list" | null;
}

const UNTOUCHED: LeftTimeline = { window: WHOLE, chosenKey: null, isListShown: false, openedFrom: null };
const leftTimelines = new Map<string, LeftTimeline>();

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
  const { source, tell } = usePage();
  const { left, change, moveWindow, open } = useLeftTimeline(room.picture.roomId);
  const { window, chosenKey, isListShown } = left;
  const [pointed, setPointed] = useState<TimelineItem | null>(null);
  const chosen = useMemo(
    () => timeline.items.find(({ key }) => key === chosenKey) ?? null,
    [timeline.items, chosenKey],
  );
  const span = spanOf(window, extent);
  const { me } = room.picture;
  const { nameOf } = room;
  const wordsOf = useCallback(
    (item: TimelineItem) => itemWords(item, { me, nameOf }, extent.nowMs),
    [me, nameOf, extent.nowMs],
  );
  const openFromList = useCallback((item: TimelineItem) => open(item, "list"), [open]);
  const listed = useListed(timeline.items, useDeferredValue(span.fromMs), useDeferredValue(span.toMs));
  const body = useRef<HTMLDivElement>(null);
  useReturn(body, left.openedFrom);

  const shown = { window, extent, items: timeline.items, chosen };
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const effect = keyEffect(event.key, shown);
    if (effect === null) return;
    event.preventDefault();
    // What the pointer rests on does not hide what the keys choose.
    setPointed(null);
    change({ window: effect.window, chosenKey: effect.chosen?.key ?? null });
    if (effect.opens && effect.chosen) open(effect.chosen, "canvas");
  };
  const zoom = (factor: number, anchor?: number) =>
    moveWindow((now) => zoomed(now, extent, factor, anchor ?? anchorOf({ ...shown, window: now })));
  const pan = (share: number) =>
    moveWindow((now) => {
      const { fromMs, toMs } = spanOf(now, extent);
      return panned(now, extent, share * (toMs - fromMs));
    });

  const hasOlder = olderThan(room.open.log) > 0;
  const loadOlder = () => source.loadOlder().catch((error: unknown) => tell(wordsOfError(error), "error"));
  return (
    <div className={`view timeline ${isListShown ? "timeline-as-list" : ""}`}>
      <TimelineTools
        window={window}
        onWindow={(next) => change({ window: next })}
        onZoom={zoom}
        isListShown={isListShown}
        onListShown={(isNowShown) => change({ isListShown: isNowShown })}
        onLoadOlder={hasOlder ? loadOlder : null}
      />
      <div ref={body} className="timeline-body">
        <TimelineCanvas
          timeline={timeline}
          span={span}
          nowMs={extent.nowMs}
          nameOf={(lane) => laneName(lane, room)}
          wordsOf={wordsOf}
          chosen={chosen}
          pointed={pointed}
          describedBy={KEYS_ID}
          onPoint={setPointed}
          onOpen={(item) => open(item, "canvas")}
          onZoom={zoom}
          onPan={pan}
          onKey={pressed}
        />
        <div className="timeline-list">
          <TimelineList
            items={listed}
            wordsOf={wordsOf}
            chosenKey={chosenKey}
            nowMs={extent.nowMs}
            onOpen={openFromList}
            onPoint={setPointed}
          />
        </div>
      </div>
      <ItemLine item={pointed ?? chosen} wordsOf={wordsOf} />
    </div>
  );
}

function useLeftTimeline(roomId: string) {
  const { goTo } = usePage();
  const [left, setLeft] = useState(() => leftTimelines.get(roomId) ?? UNTOUCHED);
  useEffect(() => {
    leftTimelines.set(roomId, left);
  }, [roomId, left]);
  const change = useCallback((changes: Partial<LeftTimeline>) => setLeft((before) => ({ ...before, ...changes })), []);
  /** From where the window is by then: a pinch zooms and moves it before it is drawn once. */
  const moveWindow = (move: (window: TimeWindow) => TimeWindow) =>
    setLeft((before) => ({ ...before, window: move(before.window) }));
  const open = useCallback(
    (item: TimelineItem, openedFrom: "canvas" | "list") => {
      change({ chosenKey: item.key, openedFrom });
      goTo(placeOfItem(item));
    },
    [change, goTo],
  );
  return { left, change, moveWindow, open };
}

/** A person who comes back finds the focus where it was, unless they have put it elsewhere. */
function useReturn(body: RefObject<HTMLElement | null>, openedFrom: LeftTimeline["openedFrom"]): void {
  const [from] = useState(openedFrom);
  useEffect(() => {
    if (from === null) return undefined;
    // The list draws its rows in the frames that follow.
    const frame = requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const wanted = from === "canvas" ? "canvas" : "[role=listitem]:has([aria-current=true])";
        const { activeElement } = document;
        if (activeElement === null || activeElement === document.body)
          body.current?.querySelector<HTMLElement>(wanted)?.focus({ preventScroll: true });
      }),
    );
    return () => cancelAnimationFrame(frame);
  }, [body, from]);
}

const KEYS_ID = "timeline-keys";

interface ItemLineProps {
  readonly item: TimelineItem | null;
  readonly wordsOf: (item: TimelineItem) => string;
}

/** What the person points at or has chosen. */
function ItemLine({ item, wordsOf }: ItemLineProps): ReactNode {
  const keys = "Arrow keys up and down choose, Enter opens, left and right move, + and − zoom, 0 shows all.";
  return (
    <div className="timeline-line">
      <p className="timeline-line-words" aria-live="polite">
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
    </div>
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
