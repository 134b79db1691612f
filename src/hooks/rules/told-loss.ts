/**
 * What a session was told of a stick, or a place, that it lost. As with mail, printed is not read (mail/rules/show.ts).
 *
 *   shown     a hook printed it
 *   returned  the harness threw that away: the next prompt, or tool, shows it again
 *   told      the model went on with it, or the answer of a call held it
 */

import { isPersonsName } from "../../core/agent-id.ts";
import type { EventId } from "../../core/ids.ts";
import { fateOf, type TurnSign } from "../../mail/rules/show.ts";
import type { TurnEnd } from "../../stick/rules/turn-end.ts";
import { turnEndText } from "../../stick/rules/turn-end-text.ts";
import { pathText } from "./brief.ts";

export interface ToldLoss {
  readonly eventSeq: number;
  readonly eventId: EventId;
  readonly state: "shown" | "returned" | "told";
  /** The harness's name for the turn in which it was shown. */
  readonly turn: string | null;
  /** How often it was shown. */
  readonly times: number;
}

/** A harness that never shows that its model went on must not be told the same without end. */
const MOST_TIMES = 3;

export function settledLoss(told: ToldLoss, sign: TurnSign): ToldLoss {
  if (told.state !== "shown") return told;
  const fate = fateOf(sign, { turn: told.turn, quote: told.eventId });
  if (fate === "unsettled") return told;
  const isOver = fate === "seen" || told.times >= MOST_TIMES;
  return { ...told, state: isOver ? "told" : "returned" };
}

/** `turn`: that in which it is shown; undefined where nothing that was shown is thrown away. */
export function shownLoss(end: TurnEnd, before: ToldLoss | undefined, turn: string | null | undefined): ToldLoss {
  const { eventSeq, eventId } = end;
  const times = before?.eventSeq === eventSeq ? before.times + 1 : 1;
  return { eventSeq, eventId, times, state: turn === undefined ? "told" : "shown", turn: turn ?? null };
}

export function isUnsettled({ state }: ToldLoss): boolean {
  return state !== "told";
}

/** Whether a hook shows it. No turn goes on for a loss that was shown before: a person stopped that turn. */
export function isToBeSaid(
  end: TurnEnd,
  before: ToldLoss | undefined,
  { atEnd }: { readonly atEnd: boolean },
): boolean {
  if (!before || before.eventSeq < end.eventSeq) return true;
  return before.eventSeq === end.eventSeq && before.state === "returned" && !atEnd;
}

/** How the loser stands in the room now. */
export interface Standing {
  readonly path: string;
  readonly isClosed: boolean;
  readonly isMember: boolean;
}

/** The text for a session that lost its stick or its place. The event's id lets us find it in the transcript. */
export function lossText(end: TurnEnd, standing: Standing): string {
  const words = `${turnEndText(end)} ${standingText(end, standing)} ${nextText(end, standing)}`;
  return `[talking stick] ${pathText(standing.path)}: ${words} (event ${end.eventId})`;
}

function standingText({ turnId }: TurnEnd, { isMember }: Standing): string {
  if (turnId !== null) return "You no longer hold the stick: stop writing there.";
  return isMember
    ? "You are in that room again, without the stick."
    : "You are no longer in that room: stop writing there.";
}

function nextText({ by }: TurnEnd, { isClosed, isMember }: Standing): string {
  if (isClosed) return "The room is closed: ask the person you work for before you reopen it with join_path.";
  const isSentAway = !isMember && by !== null && isPersonsName(by);
  return isSentAway
    ? "Ask the person you work for before you join it again with join_path."
    : "To write again, wait for your turn with wait_for_turn.";
}
