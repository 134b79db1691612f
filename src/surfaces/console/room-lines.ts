/** The room and its agents, one line each. */
import { wallMsOf } from "../../core/time.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { AgentRow } from "../../peers/rules/picture-agents.ts";
import { type Painter, painted } from "../cli/text/paint.ts";
import { AGENT_MARKS } from "../picture/agent-words.ts";
import { nowLines, type PictureLine } from "../picture/board.ts";
import { nameOf } from "../picture/why-words.ts";
import { widthOf } from "../words/width.ts";
import { cut } from "./live-screen.ts";

interface LinesView {
  readonly width: number;
  readonly paint: Painter;
}

/** Wide enough for every sentence about a stick: what does not fit is cut here. */
export const ONE_LINE = 1000;

export function plainText(line: PictureLine): string {
  return line.map(({ text }) => text).join("");
}

export function roomLine(picture: RoomPicture, { width, paint }: LinesView): string {
  const lines = nowLines(picture, { width: ONE_LINE, nowMs: wallMsOf(picture.asOf) });
  const [stick = []] = lines;
  const { paused, queue } = picture.now;
  const waiting = queue.length === 0 ? "" : `; ${queue.length} ${queue.length === 1 ? "waits" : "wait"}`;
  const text = cut(`${paused === null ? "" : "‖ paused; "}${plainText(stick).trim()}${waiting}`, width);
  const role = paused === null ? (stick[0]?.role ?? "plain") : "warning";
  return painted([{ text, role }], paint);
}

/** Agents that need the reader come first, the gone last. */
export function agentsLine(picture: RoomPicture, { width, paint }: LinesView): string {
  const { agents, folded, me } = picture;
  const others = agents.filter(({ agentId }) => agentId !== me);
  const wordsOf = ({ agentId, mark }: AgentRow) => `${AGENT_MARKS[mark]} ${nameOf(picture, agentId)}`;
  const needing = others.filter(({ mark }) => mark === "needs_you").map(wordsOf);
  const words = others.map(wordsOf);
  const gone = folded.gone.length;
  const away = folded.away.length + folded.notListed;
  const all = [...words, ...(away > 0 ? [`○ ${away} away`] : []), ...(gone > 0 ? [`✗ ${gone} gone`] : [])];
  const line = all.length === 0 ? "nobody else is here" : all.join("  ");
  const between = widthOf(line) <= width ? "  " : " ";
  const shown = cut(all.length === 0 ? line : all.join(between), width);
  const set = Math.min(shown.length, needing.join(between).length);
  return `${paint.yellow(shown.slice(0, set))}${paint.dim(shown.slice(set))}`;
}
