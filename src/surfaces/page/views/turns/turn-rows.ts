/** The list of turns: who and when from the log, which the page has at once, and what they changed from the record. Pure. */
import type { EventOf, RoomEvent } from "../../../../core/event.ts";
import { isAboutTurns, type TurnLine, turnsIn } from "../../../../turns/rules/turn-lines.ts";
import { changesWords } from "../../../picture/turn-words.ts";
import type { PageAnswers } from "../../../wire/page-answers.ts";

type ListedTurns = PageAnswers["list_turns"]["turns"];

export interface TurnRow extends Omit<TurnLine, "firstSeq"> {
  /** Why it ended so, if its end says it. */
  readonly reason: string | null;
  /** Null: it is not known yet, or known only on demand. */
  readonly changes: string | null;
  /** Whether the end of it is in the record, so that files can be given back. */
  readonly isKept: boolean;
}

/** The newest first. `listed` null: not known yet. `lastTurnId` is that of the moment that is shown. */
export function turnRows(
  events: readonly RoomEvent[],
  listed: ListedTurns | null,
  lastTurnId: number,
): readonly TurnRow[] {
  const about = events.filter(isAboutTurns);
  const logged = new Map(turnsIn(about).map((line) => [line.turnId, line]));
  const known = new Map((listed ?? []).map((turn) => [turn.turnId, turn]));
  const reasons = new Map(about.map(({ seq, reason }) => [seq, reason]));
  const numbers = [...new Set([...logged.keys(), ...known.keys()])].filter((turnId) => turnId <= lastTurnId);
  return numbers
    .toSorted((one, other) => other - one)
    .flatMap((turnId) => {
      const row = rowOf(logged.get(turnId), known.get(turnId));
      return row === null ? [] : [{ ...row, reason: (row.lastSeq !== null && reasons.get(row.lastSeq)) || null }];
    });
}

function rowOf(line: TurnLine | undefined, known: ListedTurns[number] | undefined): Omit<TurnRow, "reason"> | null {
  if (line === undefined) return known === undefined ? null : rowOfListed(known);
  const { firstSeq: _firstSeq, ...own } = line;
  if (known === undefined) return { ...own, changes: null, isKept: false };
  // A recording shows moments at which a turn still went on that the list knows as ended.
  const isLater = line.endedAt === null && known.endedAt !== null;
  return {
    ...own,
    agentId: line.agentId ?? known.agentId,
    startedAt: line.startedAt ?? known.startedAt,
    checks: line.startedAt === null ? known.checks : line.checks,
    changes: isLater ? null : changesWords(known),
    isKept: !isLater && isKept(known),
  };
}

function rowOfListed(known: ListedTurns[number]): Omit<TurnRow, "reason"> {
  const { turnId, agentId, startedAt, endedAt, ended, endedBy, checks } = known;
  const line = { turnId, agentId, startedAt, endedAt, ended, endedBy, checks, handoff: null, lastSeq: null };
  return { ...line, changes: changesWords(known), isKept: isKept(known) };
}

function isKept({ record, endedAt }: ListedTurns[number]): boolean {
  return endedAt !== null && (record === "kept" || record === "late" || record === "end_only");
}

/** Changes when a turn begins, ends or is checked, and then the list must be asked again. */
export function turnsVersion(events: readonly RoomEvent[]): number {
  return events.findLast(isAboutTurns)?.seq ?? 0;
}

/** What others wrote meanwhile. */
export function foreignWritesIn(events: readonly RoomEvent[], turnId: number): readonly EventOf<"foreign_write">[] {
  return events.filter(
    (event): event is EventOf<"foreign_write"> => event.type === "foreign_write" && event.payload.duringTurn === turnId,
  );
}
