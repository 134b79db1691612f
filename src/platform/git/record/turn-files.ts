/**
 * The moments of turns: a file for each, `turns/<room>/<turn>-<moment>.json`. Agents may have written there, so what is
 * read back is checked.
 */
import { statSync } from "node:fs";
import type { KeptTree } from "../../../engine/ports/working-tree.ts";
import {
  isSnapshot,
  type LeftOut,
  type RecordedMoment,
  type RecordedTurn,
  type SkipReason,
  type TurnMoment,
} from "../../../stick/rules/snapshot.ts";
import { readFileOrNull } from "../../files/bounded-read.ts";
import { listNames } from "../../files/list-names.ts";
import { pathIn } from "../../files/path-in.ts";
import { makePrivateDirectory } from "../../files/private-path.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { isObjectId } from "./record-place.ts";

const FILE_BYTES = 262_144;
/** Longer than a snapshot in the background may take. */
const PENDING_MS = 120_000;
const ROOM = /^[0-9A-Za-z_-]{1,64}$/;
const MOMENT_FILE = /^(\d{1,15})-(begin|end|before-restore)\.json$/;
const REASONS: Readonly<Record<SkipReason, true>> = {
  no_git: true,
  not_a_repository: true,
  too_slow: true,
  disk_full: true,
  unwritable: true,
  unsafe: true,
  changing: true,
  pending: true,
  failed: true,
};
const WHY: readonly string[] = ["submodule", "nested_repository", "too_large", "unreadable"] satisfies LeftOut["why"][];

/** `before-restore`: what a restore overwrote; its number is a time. */
export type MomentKind = TurnMoment | "before-restore";

/** A file of the record with a tree that must be kept. */
export interface MomentFile {
  readonly path: string;
  readonly room: string;
  readonly number: number;
  readonly kind: MomentKind;
  readonly writtenAtMs: number;
  readonly treeId: string | null;
}

/** Throws the system's error. */
export function writeMoment(
  directory: string,
  { room, number, kind }: { readonly room: string; readonly number: number; readonly kind: MomentKind },
  moment: RecordedMoment,
): void {
  if (!ROOM.test(room)) throw new Error(`${room} is no id of a room`);
  const folder = pathIn(directory, `turns/${room}`);
  makePrivateDirectory(folder);
  replaceFile(pathIn(folder, `${number}-${kind}.json`), `${JSON.stringify(moment)}\n`, 0o600);
}

export function readTurns(directory: string, room: string): readonly RecordedTurn[] {
  const turns = new Map<number, { begin: RecordedMoment | null; end: RecordedMoment | null }>();
  const folder = pathIn(directory, `turns/${room}`);
  for (const name of ROOM.test(room) ? listNames(folder) : []) {
    const [, number = "", kind = ""] = MOMENT_FILE.exec(name) ?? [];
    const moment = kind === "begin" || kind === "end" ? readMoment(pathIn(folder, name)) : null;
    if (moment === null) continue;
    const turn = turns.get(Number(number)) ?? { begin: null, end: null };
    turns.set(Number(number), { ...turn, [kind]: moment });
  }
  return [...turns].map(([turn, moments]) => ({ turn, ...moments })).toSorted((a, b) => a.turn - b.turn);
}

export function readTurn(directory: string, room: string, turn: number): RecordedTurn {
  const moment = (kind: TurnMoment) =>
    ROOM.test(room) ? readMoment(pathIn(directory, `turns/${room}/${turn}-${kind}.json`)) : null;
  return { turn, begin: moment("begin"), end: moment("end") };
}

export function keptName(number: number): string {
  return `kept-${number}`;
}

/** What restores have overwritten, the newest first. */
export function readKept(directory: string, room: string): readonly KeptTree[] {
  const folder = pathIn(directory, `turns/${room}`);
  return (ROOM.test(room) ? listNames(folder) : [])
    .flatMap((name) => {
      const [, number = "", kind] = MOMENT_FILE.exec(name) ?? [];
      const outcome = kind === "before-restore" ? readMoment(pathIn(folder, name))?.outcome : undefined;
      return outcome && isSnapshot(outcome) ? [{ number: Number(number), tree: outcome }] : [];
    })
    .toSorted((a, b) => b.number - a.number)
    .map(({ number, tree }) => ({ name: keptName(number), tree }));
}

/** All of them, of every room. */
export function momentFiles(directory: string): readonly MomentFile[] {
  const rooms = listNames(pathIn(directory, "turns")).filter((name) => ROOM.test(name));
  return rooms.flatMap((room) => {
    const folder = pathIn(directory, `turns/${room}`);
    return listNames(folder).flatMap((name): MomentFile[] => {
      const [, number = "", kind = ""] = MOMENT_FILE.exec(name) ?? [];
      const path = pathIn(folder, name);
      const stats = kind === "" ? undefined : statSync(path, { throwIfNoEntry: false });
      if (!stats) return [];
      const outcome = readMoment(path)?.outcome;
      const treeId = outcome && isSnapshot(outcome) ? outcome.treeId : null;
      return [{ path, room, number: Number(number), kind: kind as MomentKind, writtenAtMs: stats.mtimeMs, treeId }];
    });
  });
}

function readMoment(path: string): RecordedMoment | null {
  const file = readFileOrNull(path, FILE_BYTES, { followLinks: false });
  try {
    const moment = decodeMoment(JSON.parse(file?.bytes.toString("utf8") ?? "null"));
    // The process in the background is over by now, and it did not say how it ended.
    const isOld = file !== null && Date.now() - file.stats.mtimeMs > PENDING_MS;
    const isPending = moment !== null && !isSnapshot(moment.outcome) && moment.outcome.skipped === "pending";
    return isPending && isOld ? { ...moment, outcome: { skipped: "failed" } } : moment;
  } catch {
    // Not ours: as if it were not there.
    return null;
  }
}

type Unknown = Readonly<Record<string, unknown>>;

function decodeMoment(value: Unknown | null): RecordedMoment | null {
  const outcome = value?.["outcome"] as Unknown | undefined;
  const late = value?.["late"] === true;
  const skipped = outcome?.["skipped"];
  if (typeof skipped === "string" && Object.hasOwn(REASONS, skipped))
    return { outcome: { skipped: skipped as SkipReason }, late };
  const { treeId, takenAtMs, head, leftOut, leftOutCount } = outcome ?? {};
  if (!isObjectId(treeId) || !isNumber(takenAtMs) || !isNumber(leftOutCount) || !Array.isArray(leftOut)) return null;
  const named = leftOut.filter(
    (one: Unknown | null): one is LeftOut & Unknown =>
      typeof one?.["path"] === "string" && WHY.includes(String(one["why"])),
  );
  return {
    outcome: {
      treeId,
      takenAtMs,
      head: isObjectId(head) ? head : null,
      leftOut: named.map(({ path, why }) => ({ path, why })),
      leftOutCount,
    },
    late,
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
