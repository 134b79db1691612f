/** What a person does on the canvas by mouse, pen, fingers or wheel. */
export interface Gestures {
  /** Coordinates are those of the canvas. */
  readonly onPoint: (x: number, y: number) => void;
  readonly onLeave: () => void;
  readonly onPress: (x: number, y: number) => void;
  readonly onDrag: (byX: number, byY: number) => void;
  /** `factor` below 1: closer. `x` stays where it is. */
  readonly onZoom: (factor: number, x: number) => void;
}

/** A hand that presses moves a little. */
const STILL_PX = 4;
const ZOOM_PER_PX = 1 / 300;
const LINE_PX = 16;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns what ends it. */
export function listenToGestures(canvas: HTMLCanvasElement, gestures: () => Gestures): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  listenToPointers(canvas, gestures, signal);
  const wheel = (event: WheelEvent) => {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    const isSideways = event.shiftKey || Math.abs(x) > Math.abs(y);
    // A pinch on a touchpad comes as a wheel with the control key. Any other wheel scrolls the lanes.
    if (event.ctrlKey || event.metaKey) gestures().onZoom(Math.exp(y * ZOOM_PER_PX), pointIn(canvas, event).x);
    else if (isSideways) gestures().onDrag(-(x === 0 ? y : x), 0);
    else return;
    event.preventDefault();
  };
  canvas.addEventListener("wheel", wheel, { passive: false, signal });
  return () => ending.abort();
}

function listenToPointers(canvas: HTMLCanvasElement, gestures: () => Gestures, signal: AbortSignal): void {
  const down = new Map<number, Point>();
  let begin: Point | null = null;
  let hasMoved = false;
  const pressed = (event: PointerEvent) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const point = pointIn(canvas, event);
    down.set(event.pointerId, point);
    [begin, hasMoved] = [point, down.size > 1];
  };
  const moved = (event: PointerEvent) => {
    const to = pointIn(canvas, event);
    const from = down.get(event.pointerId);
    if (from === undefined) {
      gestures().onPoint(to.x, to.y);
      return;
    }
    if (!hasMoved && begin && Math.hypot(to.x - begin.x, to.y - begin.y) < STILL_PX) return;
    hasMoved = true;
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, to);
    if (other === undefined) gestures().onDrag(to.x - from.x, to.y - from.y);
    else pinched(gestures(), from, to, other);
  };
  const released = (event: PointerEvent) => {
    const wasDown = down.delete(event.pointerId);
    const { x, y } = pointIn(canvas, event);
    if (wasDown && !hasMoved && event.type === "pointerup") gestures().onPress(x, y);
  };
  canvas.addEventListener("pointerdown", pressed, { signal });
  canvas.addEventListener("pointermove", moved, { signal });
  canvas.addEventListener("pointerup", released, { signal });
  canvas.addEventListener("pointercancel", released, { signal });
  canvas.addEventListener("pointerleave", () => gestures().onLeave(), { signal });
}

/** Two fingers: they come closer or part along the time, and what is between them moves with them. */
function pinched(gestures: Gestures, from: Point, to: Point, other: Point): void {
  const [before, after] = [Math.abs(from.x - other.x), Math.abs(to.x - other.x)].map((px) => Math.max(20, px));
  gestures.onZoom((before ?? 1) / (after ?? 1), (to.x + other.x) / 2);
  gestures.onDrag((to.x - from.x) / 2, 0);
}

function pointIn(canvas: HTMLCanvasElement, { clientX, clientY }: MouseEvent): Point {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}
