/** The canvas of the timeline. It draws when something has changed, once a frame at most. */
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { drawTimeline, type TimelineScene } from "./timeline-draw.ts";
import { type Gestures, listenToGestures } from "./timeline-gestures.ts";
import type { Lane, Timeline, TimelineItem } from "./timeline-items.ts";
import { AXIS_PX, hitAt, LANE_PX, lanesHeight, namesWidth, type TimelineBox } from "./timeline-layout.ts";
import { type Palette, readPalette, watchTheme } from "./timeline-palette.ts";
import type { TimeSpan } from "./timeline-window.ts";

interface TimelineCanvasProps {
  readonly timeline: Timeline;
  readonly span: TimeSpan;
  readonly nowMs: number;
  readonly nameOf: (lane: Lane) => string;
  readonly wordsOf: (item: TimelineItem) => string;
  /** By keys. Its lane is scrolled into sight. */
  readonly chosen: TimelineItem | null;
  readonly pointed: TimelineItem | null;
  readonly describedBy: string;
  readonly onPoint: (item: TimelineItem | null) => void;
  readonly onOpen: (item: TimelineItem) => void;
  readonly onZoom: (factor: number, anchor?: number) => void;
  /** By a share of what is in sight. */
  readonly onPan: (share: number) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

export function TimelineCanvas(props: TimelineCanvasProps): ReactNode {
  const { timeline, chosen, describedBy, onKey } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const redraw = useRef<() => void>(() => {});

  useEffect(() => {
    const [element, around] = [canvas.current, scroller.current];
    if (element === null || around === null) return undefined;
    const screen = screenOf(element, around, () => latest.current);
    redraw.current = screen.redraw;
    const endGestures = listenToGestures(element, () => gesturesFor(latest.current, screen.boxNow(), around));
    return () => {
      endGestures();
      screen.end();
    };
  }, []);

  useLayoutEffect(() => {
    latest.current = props;
    redraw.current();
  });

  const lane = chosen === null ? undefined : timeline.laneOf.get(chosen.agentId);
  useEffect(() => {
    const around = scroller.current;
    if (lane === undefined || around === null) return;
    const top = lane * LANE_PX;
    const room = around.clientHeight - AXIS_PX - LANE_PX;
    around.scrollTop = Math.min(top, Math.max(top - room, around.scrollTop));
  }, [lane]);

  return (
    <div ref={scroller} className="timeline-scroller">
      <canvas
        ref={canvas}
        className="timeline-canvas"
        tabIndex={0}
        role="application"
        aria-label="Timeline of turns and events"
        aria-describedby={describedBy}
        onKeyDown={onKey}
      />
      <div className="timeline-height" style={{ height: lanesHeight(timeline.lanes.length) }} />
    </div>
  );
}

interface Screen {
  readonly redraw: () => void;
  readonly boxNow: () => TimelineBox;
  readonly end: () => void;
}

function screenOf(canvas: HTMLCanvasElement, scroller: HTMLElement, latest: () => TimelineCanvasProps): Screen {
  let palette: Palette | null = null;
  let frame = 0;
  const boxNow = (): TimelineBox => {
    const { span, nowMs } = latest();
    const { clientWidth: widthPx, clientHeight: heightPx, scrollTop: topPx } = scroller;
    return { ...span, nowMs, widthPx, heightPx, topPx };
  };
  const draw = () => {
    frame = 0;
    const context = canvas.getContext("2d");
    const box = boxNow();
    if (context === null || box.widthPx === 0 || box.heightPx === 0) return;
    palette ??= readPalette(scroller);
    const { timeline, nameOf, wordsOf, chosen, pointed } = latest();
    const scene: TimelineScene = { timeline, box, palette, nameOf, wordsOf, chosen, pointed };
    fit(canvas, context, box);
    drawTimeline(context, scene);
  };
  const redraw = () => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const endTheme = watchTheme(() => {
    palette = null;
    redraw();
  });
  const sizes = new ResizeObserver(redraw);
  sizes.observe(scroller);
  scroller.addEventListener("scroll", redraw);
  redraw();
  const end = () => {
    cancelAnimationFrame(frame);
    endTheme();
    sizes.disconnect();
    scroller.removeEventListener("scroll", redraw);
  };
  return { redraw, boxNow, end };
}

/** As many dots as the screen has. */
function fit(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, { widthPx, heightPx }: TimelineBox): void {
  const ratio = devicePixelRatio;
  const [width, height] = [Math.round(widthPx * ratio), Math.round(heightPx * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${widthPx}px`;
    canvas.style.height = `${heightPx}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

function gesturesFor(props: TimelineCanvasProps, box: TimelineBox, scroller: HTMLElement): Gestures {
  const left = namesWidth(box);
  const lanesPx = box.widthPx - left;
  return {
    onPoint: (x, y) => {
      const item = hitAt(props.timeline, box, x, y);
      scroller.style.cursor = item === null ? "" : "pointer";
      if (item?.key !== props.pointed?.key) props.onPoint(item);
    },
    onLeave: () => props.onPoint(null),
    onPress: (x, y) => {
      const item = hitAt(props.timeline, box, x, y);
      if (item !== null) props.onOpen(item);
    },
    onDrag: (byX, byY) => {
      props.onPan(-byX / lanesPx);
      scroller.scrollTop -= byY;
    },
    onZoom: (factor, x) => props.onZoom(factor, Math.min(1, Math.max(0, (x - left) / lanesPx))),
  };
}
