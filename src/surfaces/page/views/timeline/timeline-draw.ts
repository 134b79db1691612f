/** Draws the timeline. Only what is in sight is looked at, and of things on the same pixel one is drawn. */
import { cutTo } from "../../../../core/visible.ts";
import { toneOf } from "../../kit/agent-name.tsx";
import type { Lane, MarkKind, Timeline, TimelineItem } from "./timeline-items.ts";
import {
  AXIS_PX,
  BAR_PX,
  BAR_TOP_PX,
  barPlace,
  barsInSight,
  inSight,
  LANE_PX,
  lanesInSight,
  laneTop,
  MARK_PX,
  namesWidth,
  SHORTEST_BAR_PX,
  type TimelineBox,
  xOf,
} from "./timeline-layout.ts";
import type { Palette } from "./timeline-palette.ts";
import { MARK_COLOURS, MESSAGE_RADIUS, SHAPES } from "./timeline-shapes.tsx";
import { ticksIn } from "./timeline-ticks.ts";

export interface TimelineScene {
  readonly timeline: Timeline;
  readonly box: TimelineBox;
  readonly palette: Palette;
  readonly nameOf: (lane: Lane) => string;
  readonly wordsOf: (item: TimelineItem) => string;
  /** By keys. */
  readonly chosen: TimelineItem | null;
  readonly pointed: TimelineItem | null;
}

const SMALL_PX = 12;
/** A mark reaches so far to each side, with its edge. */
const MARK_REACH_PX = 8;

export function drawTimeline(canvas: CanvasRenderingContext2D, scene: TimelineScene): void {
  const { timeline, box, palette } = scene;
  const { colours, face } = palette;
  canvas.clearRect(0, 0, box.widthPx, box.heightPx);
  canvas.font = `${SMALL_PX}px ${face}`;
  canvas.textBaseline = "middle";
  drawGround(canvas, scene);
  const [first, end] = lanesInSight(box, timeline.lanes.length);
  canvas.save();
  canvas.beginPath();
  canvas.rect(namesWidth(box), AXIS_PX, box.widthPx, box.heightPx);
  canvas.clip();
  for (const [index, lane] of timeline.lanes.slice(first, end).entries()) {
    const top = laneTop(box, first + index);
    drawBars(canvas, scene, lane, top);
    drawMarks(canvas, scene, lane, top);
  }
  drawNow(canvas, scene);
  for (const item of [scene.chosen, scene.pointed]) if (item !== null) drawRing(canvas, scene, item);
  canvas.restore();
  for (const [index, lane] of timeline.lanes.slice(first, end).entries()) {
    drawName(canvas, scene, lane, laneTop(box, first + index));
  }
  // Lanes that are scrolled end below the axis.
  canvas.fillStyle = colours["--raised"];
  canvas.fillRect(0, 0, box.widthPx, AXIS_PX);
  drawAxis(canvas, scene);
  const told = scene.pointed ?? scene.chosen;
  if (told !== null) drawTip(canvas, scene, told);
}

function drawGround(canvas: CanvasRenderingContext2D, { timeline, box, palette: { colours } }: TimelineScene): void {
  const left = namesWidth(box);
  canvas.fillStyle = colours["--warn-ground"];
  for (const { fromMs, toMs } of timeline.pauses) {
    if (fromMs > box.toMs || (toMs ?? box.nowMs) < box.fromMs) continue;
    const { x, width } = barPlace(box, { atMs: fromMs, toMs });
    canvas.fillRect(x, AXIS_PX, width, box.heightPx - AXIS_PX);
  }
  canvas.fillStyle = colours["--line"];
  for (const { atMs, isDay } of ticksIn(box, box.widthPx - left)) {
    canvas.fillRect(Math.round(xOf(box, atMs)), AXIS_PX, isDay ? 2 : 1, box.heightPx);
  }
  const [first, end] = lanesInSight(box, timeline.lanes.length);
  for (let lane = first; lane < end; lane += 1) canvas.fillRect(0, laneTop(box, lane) + LANE_PX - 1, box.widthPx, 1);
}

function drawBars(canvas: CanvasRenderingContext2D, scene: TimelineScene, lane: Lane, top: number): void {
  const { box, palette } = scene;
  const [first, end] = barsInSight(lane, box);
  let drawnTo = Number.NEGATIVE_INFINITY;
  for (let index = first; index < end; index += 1) {
    const bar = lane.bars[index];
    if (bar === undefined) continue;
    const { x, width } = barPlace(box, bar);
    if (width <= SHORTEST_BAR_PX && x + width < drawnTo + 1) continue;
    drawnTo = x + width;
    canvas.fillStyle = colourOf(palette, lane.agentId);
    // A gap between turns that follow each other.
    canvas.fillRect(x, top + BAR_TOP_PX, Math.max(2, width - 1), BAR_PX);
    const label = String(bar.line.turnId);
    if (width < label.length * 8 + 8) continue;
    canvas.fillStyle = inkOf(palette, lane.agentId);
    canvas.fillText(label, x + 5, top + BAR_TOP_PX + BAR_PX / 2 + 1);
  }
}

function drawMarks(canvas: CanvasRenderingContext2D, scene: TimelineScene, lane: Lane, top: number): void {
  const { box } = scene;
  const pad = ((box.toMs - box.fromMs) / Math.max(1, box.widthPx)) * MARK_REACH_PX;
  const [first, end] = inSight(lane.marks, { fromMs: box.fromMs - pad, toMs: box.toMs + pad });
  const drawnAt = new Map<MarkKind, number>();
  const messages: number[] = [];
  const rare: (readonly [kind: MarkKind, x: number])[] = [];
  for (let index = first; index < end; index += 1) {
    const mark = lane.marks[index];
    if (mark === undefined) continue;
    const x = Math.round(xOf(box, mark.atMs));
    if (drawnAt.get(mark.kind) === x) continue;
    drawnAt.set(mark.kind, x);
    if (mark.kind === "message") messages.push(x);
    else rare.push([mark.kind, x]);
  }
  drawMessages(canvas, colourOf(scene.palette, lane.agentId), messages, top + MARK_PX);
  // Over the many messages.
  for (const [kind, x] of rare) {
    if (kind === "clock") drawClockLine(canvas, scene, x);
    drawShape(canvas, scene, lane, kind, x, top + MARK_PX);
  }
}

/** Messages are many. Dots that touch each other are one shape, and all shapes of a lane are filled at once. */
function drawMessages(canvas: CanvasRenderingContext2D, colour: string, xs: readonly number[], y: number): void {
  canvas.fillStyle = colour;
  canvas.beginPath();
  for (let at = 0; at < xs.length; ) {
    const from = xs[at] ?? 0;
    let to = from;
    for (at += 1; at < xs.length && (xs[at] ?? 0) - to < MESSAGE_RADIUS; at += 1) to = xs[at] ?? 0;
    const height = 2 * MESSAGE_RADIUS;
    canvas.roundRect(from - MESSAGE_RADIUS, y - MESSAGE_RADIUS, to - from + height, height, MESSAGE_RADIUS);
  }
  canvas.fill();
}

let paths: Map<TimelineItem["kind"], Path2D> | null = null;

function pathOf(kind: TimelineItem["kind"]): Path2D {
  paths ??= new Map();
  const path = paths.get(kind) ?? new Path2D(SHAPES[kind]);
  paths.set(kind, path);
  return path;
}

function drawShape(
  canvas: CanvasRenderingContext2D,
  { palette }: TimelineScene,
  { agentId }: Lane,
  kind: MarkKind,
  x: number,
  y: number,
): void {
  const variable = MARK_COLOURS[kind];
  canvas.translate(x, y);
  // An edge that sets it off from what is below it.
  canvas.lineWidth = 3;
  canvas.strokeStyle = palette.colours["--surface"];
  canvas.stroke(pathOf(kind));
  canvas.fillStyle = variable === null ? colourOf(palette, agentId) : palette.colours[variable];
  canvas.fill(pathOf(kind), "evenodd");
  canvas.translate(-x, -y);
}

function drawClockLine(canvas: CanvasRenderingContext2D, { box, palette }: TimelineScene, x: number): void {
  canvas.strokeStyle = palette.colours["--warn"];
  canvas.lineWidth = 1;
  canvas.setLineDash([4, 4]);
  canvas.beginPath();
  canvas.moveTo(x + 0.5, AXIS_PX);
  canvas.lineTo(x + 0.5, box.heightPx);
  canvas.stroke();
  canvas.setLineDash([]);
}

function drawNow(canvas: CanvasRenderingContext2D, { box, palette }: TimelineScene): void {
  const x = Math.round(xOf(box, box.nowMs));
  if (x > box.widthPx) return;
  canvas.fillStyle = palette.colours["--accent"];
  canvas.fillRect(x, AXIS_PX, 1, box.heightPx);
}

function drawRing(canvas: CanvasRenderingContext2D, scene: TimelineScene, item: TimelineItem): void {
  const { timeline, box, palette } = scene;
  const lane = timeline.laneOf.get(item.agentId);
  if (lane === undefined || !isInSight(box, item)) return;
  const top = laneTop(box, lane);
  canvas.strokeStyle = palette.colours["--accent"];
  canvas.lineWidth = 2;
  if (item.kind === "turn") {
    const { x, width } = barPlace(box, item);
    canvas.strokeRect(x - 2, top + BAR_TOP_PX - 2, width + 3, BAR_PX + 4);
    return;
  }
  canvas.beginPath();
  canvas.arc(Math.round(xOf(box, item.atMs)), top + MARK_PX, 9, 0, 2 * Math.PI);
  canvas.stroke();
}

const TIP_PX = 22;
const TIP_WIDTH_PX = 420;
const TIP_EDGE_PX = 8;

/** What the item is, below its lane or, at the end of the canvas, above it. */
function drawTip(canvas: CanvasRenderingContext2D, scene: TimelineScene, item: TimelineItem): void {
  const { timeline, box, palette, wordsOf } = scene;
  const { colours, face } = palette;
  const lane = timeline.laneOf.get(item.agentId);
  if (lane === undefined || !isInSight(box, item)) return;
  const top = laneTop(box, lane);
  if (top + LANE_PX <= AXIS_PX || top >= box.heightPx) return;
  canvas.font = `${SMALL_PX}px ${face}`;
  const most = Math.min(TIP_WIDTH_PX, box.widthPx - 2 * TIP_EDGE_PX);
  const words = fittedText(canvas, wordsOf(item), most - 2 * TIP_EDGE_PX);
  const width = canvas.measureText(words).width + 2 * TIP_EDGE_PX;
  const from = item.kind === "turn" ? barPlace(box, item).x : xOf(box, item.atMs) - width / 2;
  const x = Math.round(Math.max(TIP_EDGE_PX, Math.min(from, box.widthPx - width - TIP_EDGE_PX)));
  const below = top + LANE_PX + 2;
  const y = below + TIP_PX <= box.heightPx ? below : top - TIP_PX - 2;
  canvas.fillStyle = colours["--raised"];
  canvas.fillRect(x, y, width, TIP_PX);
  canvas.lineWidth = 1;
  canvas.strokeStyle = colours["--line-strong"];
  canvas.strokeRect(x + 0.5, y + 0.5, width - 1, TIP_PX - 1);
  canvas.fillStyle = colours["--text"];
  canvas.fillText(words, x + TIP_EDGE_PX, y + TIP_PX / 2 + 1);
}

function isInSight(box: TimelineBox, item: TimelineItem): boolean {
  const endMs = item.kind === "turn" ? (item.toMs ?? box.nowMs) : item.atMs;
  return item.atMs <= box.toMs && Math.max(item.atMs, endMs) >= box.fromMs;
}

function drawName(canvas: CanvasRenderingContext2D, scene: TimelineScene, lane: Lane, top: number): void {
  const { box, palette, nameOf } = scene;
  const width = namesWidth(box);
  canvas.fillStyle = palette.colours["--surface"];
  canvas.fillRect(0, top, width, LANE_PX - 1);
  canvas.fillStyle = colourOf(palette, lane.agentId);
  canvas.fillRect(6, top + LANE_PX / 2 - 8, 4, 16);
  canvas.fillStyle = palette.colours[lane.agentId === null ? "--muted" : "--text"];
  canvas.fillText(fittedText(canvas, nameOf(lane), width - 22, withoutMiddle), 16, top + LANE_PX / 2);
}

type Cut = (text: string, length: number) => string;

/** The text, or as much of it as there is room for. */
function fittedText(canvas: CanvasRenderingContext2D, text: string, width: number, cut: Cut = cutTo): string {
  if (canvas.measureText(text).width <= width) return text;
  let [low, high] = [0, Math.min(text.length - 1, 200)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (canvas.measureText(cut(text, middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return cut(text, low);
}

/** Long names often differ only at their ends. */
function withoutMiddle(name: string, length: number): string {
  const kept = Math.max(0, length - 1);
  const [begin, end] = [name.slice(0, Math.ceil(kept / 2)), name.slice(name.length - Math.floor(kept / 2))];
  return `${begin}…${end}`.replaceAll(/\p{Surrogate}/gu, "");
}

function drawAxis(canvas: CanvasRenderingContext2D, { box, palette: { colours, face } }: TimelineScene): void {
  const left = namesWidth(box);
  canvas.fillStyle = colours["--line-strong"];
  canvas.fillRect(0, AXIS_PX - 1, box.widthPx, 1);
  let labelledTo = left;
  for (const { atMs, label, isDay } of ticksIn(box, box.widthPx - left)) {
    const x = Math.round(xOf(box, atMs));
    canvas.font = `${isDay ? "600 " : ""}${SMALL_PX}px ${face}`;
    canvas.fillStyle = isDay ? colours["--text"] : colours["--muted"];
    const { width } = canvas.measureText(label);
    // At the edge it stands before its tick, if there is room.
    const from = x + width + 4 <= box.widthPx ? x + 4 : x - width - 4;
    if (from >= labelledTo) canvas.fillText(label, from, AXIS_PX / 2);
    labelledTo = Math.max(labelledTo, from + width + 8);
    canvas.fillRect(x, AXIS_PX - 7, 1, 6);
  }
}

function colourOf({ tones, colours }: Palette, agentId: string | null): string {
  return (agentId === null ? null : tones[toneOf(agentId)]) ?? colours["--muted"];
}

function inkOf({ inks, colours }: Palette, agentId: string | null): string {
  return (agentId === null ? null : inks[toneOf(agentId)]) ?? colours["--surface"];
}
