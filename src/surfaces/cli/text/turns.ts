/** Turns as people read them. */

import type { Check, Handoff } from "../../../core/handoff.ts";
import type { RecordMode } from "../../../core/policy.ts";
import { span, wallMsOf } from "../../../core/time.ts";
import { oneLine, visible } from "../../../core/visible.ts";
import type { RestoredPaths, UnrestoredReason } from "../../../engine/ports/working-tree.ts";
import type { ChangedFile, LeftOut } from "../../../stick/rules/snapshot.ts";
import type { ListedTurn } from "../../../turns/list-turns.ts";
import type { TurnMessage } from "../../../turns/rules/turn-messages.ts";
import { changesWords, NOT_KEPT, TURN_ENDED } from "../../picture/turn-words.ts";
import { ago } from "../../words/ago.ts";
import { durationText } from "../../words/duration-text.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import { handoffText } from "./handoff.ts";
import type { ShownNames } from "./names.ts";

interface TurnPage {
  readonly columns: number;
  /** How the next command begins. */
  readonly tt: string;
  readonly names: ShownNames;
}

const INDENT = " ".repeat(9);
const FILES_SHOWN = 100;
const LETTERS: Readonly<Record<ChangedFile["status"], string>> = {
  added: "A",
  deleted: "D",
  modified: "M",
  type_changed: "T",
};
const FAILED: Readonly<Record<UnrestoredReason, string>> = {
  missing: "the repository's own clean-up has removed its bytes",
  damaged: "its bytes in the record are damaged",
  in_the_way: "something else is in its place; move that away first",
  other_repository: "it lies in another repository",
  forbidden: "it cannot be written",
  disk_full: "the disk is full",
  left_out: "the record does not keep what is or was there; move it away first",
};

export function turnsText(
  { turns, record }: { readonly turns: readonly ListedTurn[]; readonly record: RecordMode },
  page: TurnPage,
  nowMs: number,
): string {
  if (turns.length === 0) return "No turn yet.";
  const lines = turns.map((turn) => turnText(turn, turn.checks, page, nowMs));
  const hasNone = turns.every((turn) => turn.record === "none");
  const why =
    hasNone && record === "off" ? [wrap("Files are not kept: the policy says record=off.", page.columns)] : [];
  return [...lines, ...why].join("\n");
}

function turnText(turn: ListedTurn, checks: readonly Check[], page: TurnPage, nowMs: number): string {
  const { columns, tt, names } = page;
  const who = turn.agentId === null ? "unknown" : names.of(turn.agentId);
  const head = `turn ${turn.turnId}`.padEnd(INDENT.length);
  return [
    `${head}${wrap(`${who}, ${timeText(turn, names, nowMs)}`, columns, INDENT)}`,
    `${INDENT}${wrap(changesWords(turn) ?? `changes: ${tt} turn diff`, columns, INDENT)}`,
    ...checks.map((check) => `${INDENT}${wrap(checkText(check), columns, INDENT)}`),
  ].join("\n");
}

function timeText(turn: ListedTurn, names: ShownNames, nowMs: number): string {
  const { startedAt: from, endedAt: to, ended, endedBy, agentId } = turn;
  const since = from === null ? "" : ago(from, nowMs);
  if (to === null || ended === null) return since === "" ? "goes on" : `since ${since}, goes on`;
  const length = from === null ? "" : ` for ${span(wallMsOf(to) - wallMsOf(from))}`;
  const by = endedBy === null || endedBy === agentId ? "" : ` by ${names.of(endedBy)}`;
  return `${since}${length}, ${TURN_ENDED[ended]}${by}`;
}

function checkText({ command, exitCode, durationMs }: Check): string {
  return `${exitCode === 0 ? "✓" : `✗ ${exitCode}`} ${command} (${durationText(durationMs)})`;
}

interface ShownTurn {
  readonly turn: ListedTurn;
  readonly handoff: Handoff | null;
  readonly files: readonly ChangedFile[] | null;
  readonly moreFiles: number;
  readonly leftOut: readonly LeftOut[];
  readonly messages: readonly TurnMessage[];
}

export function shownTurnText(shown: ShownTurn, page: TurnPage, nowMs: number): string {
  const { columns, tt } = page;
  const { turn, handoff, files, moreFiles, leftOut, messages } = shown;
  const listed = (files ?? []).slice(0, FILES_SHOWN);
  const more = (files ?? []).length - listed.length + moreFiles;
  return [
    // Each check stands once, in the handoff if there is one.
    turnText(turn, handoff === null ? turn.checks : [], page, nowMs),
    ...(handoff === null
      ? []
      : ["Handoff", handoffText({ ...handoff, checks: turn.checks }, { width: columns, nowMs })]),
    ...(files === null || files.length === 0 ? [] : ["Files"]),
    ...listed.map((file) => fileText(file, columns)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(leftOut.length === 0 ? [] : ["Not kept"]),
    ...leftOut.map(({ path, why }) => `  ${wrap(`${oneLine(path)}: ${NOT_KEPT[why]}`, columns, "    ")}`),
    ...(messages.length === 0 ? [] : ["Messages of that time"]),
    ...messages.map((message) => messageText(message, page, nowMs)),
    ...(files === null || files.length === 0
      ? []
      : [wrapWhole(`See them with: ${tt} turn diff ${turn.turnId}`, columns)]),
  ].join("\n");
}

function fileText({ path, status, added, removed, binary, untracked }: ChangedFile, columns: number): string {
  const lines = binary ? "binary" : added === null ? "" : `+${added} −${removed}`;
  const notes = [lines, untracked ? "untracked" : ""].filter((note) => note !== "");
  return `  ${LETTERS[status]} ${wrap(`${oneLine(path)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`, columns, "    ")}`;
}

function messageText(
  { fromAgentId, toAgentId, createdAt, preview }: TurnMessage,
  { columns, names }: TurnPage,
  nowMs: number,
): string {
  const [from, to] = [fromAgentId, toAgentId].map((agentId) => (agentId === null ? null : names.of(agentId)));
  const who = `${from ?? "unknown"} → ${to ?? "room"}`;
  return `  ${wrap(`${who}, ${ago(createdAt, nowMs)}: ${preview}`, columns, "    ")}`;
}

interface RestoredTurn extends Omit<RestoredPaths, "kept"> {
  readonly kept: string | null;
}

export function restoredText(
  { restored, deleted, failed, kept }: RestoredTurn,
  columns: number,
  next: string | undefined,
): string {
  const isNothing = restored.length + deleted.length + failed.length === 0;
  return [
    ...restored.map((path) => `restored  ${wrap(oneLine(path), columns, " ".repeat(10))}`),
    ...deleted.map((path) => `deleted   ${wrap(oneLine(path), columns, " ".repeat(10))}`),
    ...failed.map(({ path, why }) => `failed    ${wrap(`${oneLine(path)}: ${FAILED[why]}`, columns, " ".repeat(10))}`),
    ...(isNothing ? ["Nothing to do: these paths have that content already."] : []),
    ...(kept === null ? [] : [`What was there before is kept as ${kept}.`]),
    // Not wrapped, so that it can be copied.
    ...(next === undefined ? [] : [visible(next)]),
  ].join("\n");
}
