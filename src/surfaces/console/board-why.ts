/** Why nobody moves, as the board says it: the sentence, and the key that helps. Pure. */
import type { AgentId } from "../../core/ids.ts";
import { wallMsOf } from "../../core/time.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import { commandFor } from "../cli/command-for.ts";
import { painted } from "../cli/text/paint.ts";
import { whyLines } from "../picture/board.ts";
import { namedStep, nameOf, stepWords } from "../picture/why-words.ts";
import type { BoardView } from "./board-lines.ts";
import { saidRows } from "./live-screen.ts";
import { ONE_LINE, plainText } from "./room-lines.ts";

const MOST_ROWS = 4;

/** Nothing while all goes well. `chosen`: the agent that keys are about. */
export function whyRows(picture: RoomPicture, chosen: AgentId | null, view: BoardView): readonly string[] {
  const lines = whyLines(picture, { width: ONE_LINE, nowMs: wallMsOf(picture.asOf) });
  const role = lines[0]?.[0]?.role ?? "warning";
  const words = [...lines.map((line) => plainText(line).trim()), ...wayWords(picture, chosen, view.tt)].join(" ");
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(view.rows / 4)));
  return words === "" ? [] : saidRows(words, view.width, most).map((text) => painted([{ text, role }], view.paint));
}

function wayWords(picture: RoomPicture, chosen: AgentId | null, tt: string): readonly string[] {
  const { reason, isStuck, step } = picture.why;
  if (step === null || !(isStuck || reason.kind === "unanswered" || reason.kind === "closed")) return [];
  if (reason.kind === "question" || reason.kind === "unanswered") return ["Answer: a"];
  return [`${stepWords(step, picture)}: ${keyFor(picture, chosen) ?? commandFor(namedStep(step, picture), tt)}`];
}

/** Null if the board has no key for the step. */
function keyFor(picture: RoomPicture, chosen: AgentId | null): string | null {
  const { do: operation, with: given = {} } = picture.why.step ?? { do: null };
  const behind = (agent: unknown, key: string) =>
    agent === chosen ? key : `choose ${nameOf(picture, agent as AgentId)}, then ${key}`;
  if (operation === "resume_room") return "p";
  if (operation === "takeover_stick" || operation === "wait_for_turn") return "t";
  if (operation === "give_stick") return behind(given["to_agent_id"], "g");
  return operation === "send_message" ? behind(given["to"], "m") : null;
}
