/** The turns of a recording, as they were at a moment. What a turn changed is known from its end on. */
import { type TurnLine, turnsIn } from "../../../turns/rules/turn-lines.ts";
import { messagesOf } from "../../../turns/rules/turn-messages.ts";
import type { PageAnswers } from "../../wire/page-answers.ts";
import type { Recording } from "../../wire/recording.ts";
import { RefusedError } from "../source.ts";
import type { PastLog } from "./past-log.ts";

type ListedTurn = PageAnswers["list_turns"]["turns"][number];
type RecordedTurn = Recording["turns"][number];

const BY_DEFAULT = 20;
const UNKNOWN: RecordedTurn["during"] = { record: "none", reason: null };

export function listTurns(log: PastLog, position: number, limit = BY_DEFAULT): PageAnswers["list_turns"] {
  const known = byNumber(log);
  const turns = linesAt(log, position)
    .slice(-limit)
    .map((line) => listed(line, known.get(line.turnId)));
  return { turns, record: log.pastAt(position).policy.record };
}

export function showTurn(log: PastLog, position: number, turnId: number | undefined): PageAnswers["show_turn"] {
  const line = lineOf(log, position, turnId);
  const found = byNumber(log).get(line.turnId);
  const changes = hasChanges(log, position, line) ? found : undefined;
  return {
    turn: listed(line, found),
    handoff: line.handoff,
    files: changes?.files ?? null,
    moreFiles: changes?.moreFiles ?? 0,
    leftOut: changes?.leftOut ?? [],
    messages: messagesOf(line, log.eventsTo(position)),
  };
}

export function diffTurn(
  log: PastLog,
  position: number,
  { turnId, paths }: { readonly turnId: number | undefined; readonly paths: readonly string[] },
): PageAnswers["diff_turn"] {
  const line = lineOf(log, position, turnId);
  const label = `turn ${line.turnId}`;
  if (!log.recording.hasDiffs) {
    const next = "Make one with them: tt export --html FILE --diffs";
    throw refused("no_snapshot", "This recording has no diffs.", next);
  }
  if (!hasChanges(log, position, line)) {
    const next = "What it changed is shown from its end on, if the recording reaches that far.";
    throw refused("no_snapshot", `At this moment ${label} goes on.`, next);
  }
  const patch = byNumber(log).get(line.turnId)?.patch ?? null;
  if (patch === null) throw refused("no_snapshot", `There is no snapshot of ${label}.`, "See its handoff.");
  return { ...patch, turnId: line.turnId, since: false, patch: ofPaths(patch.patch, paths) };
}

/** A turn that goes on at the moment of the recording was compared with the files as they were then. */
function hasChanges(log: PastLog, position: number, line: TurnLine): boolean {
  return line.endedAt !== null || log.isEnd(position);
}

function lineOf(log: PastLog, position: number, wanted: number | undefined): TurnLine {
  const turnId = wanted ?? log.pastAt(position).state.turnId;
  const line = linesAt(log, position).find((one) => one.turnId === turnId);
  if (line !== undefined) return line;
  throw refused(
    "invalid_turn_id",
    `At this moment the recording has no turn ${turnId}.`,
    "Move the slider, or choose another turn.",
  );
}

/** The turn that went on when the recording begins is among them. */
function linesAt(log: PastLog, position: number): readonly TurnLine[] {
  const { state, grant } = log.pastAt(0);
  const events = log.eventsTo(position);
  return turnsIn(state.owner === null || grant === null ? events : [grant, ...events]);
}

function listed(
  { handoff: _handoff, firstSeq: _first, lastSeq: _last, ...line }: TurnLine,
  found: RecordedTurn | undefined,
): ListedTurn {
  const nothing = { files: null, added: null, removed: null };
  const state = (line.endedAt === null ? found?.during : found?.after) ?? found?.during ?? UNKNOWN;
  return { ...line, ...nothing, ...state };
}

function byNumber({ recording }: PastLog): ReadonlyMap<number, RecordedTurn> {
  return new Map(recording.turns.map((turn) => [turn.turnId, turn]));
}

/** The parts of a patch that are about these files, or about files in these directories. */
function ofPaths(patch: string, paths: readonly string[]): string {
  if (paths.length === 0) return patch;
  // Other signs, too, begin a line for a pattern with the flag m.
  const parts = patch.split(/(?<=\n)(?=diff --git )/);
  const isAbout = (head: string) =>
    paths.some((path) => head.includes(` a/${path} `) || head.endsWith(` b/${path}`) || head.includes(` a/${path}/`));
  return parts.filter((part) => isAbout(part.split("\n", 1)[0] ?? "")).join("");
}

export function refused(code: string, message: string, next: string): RefusedError {
  return new RefusedError({ code, message, next, facts: {} });
}
