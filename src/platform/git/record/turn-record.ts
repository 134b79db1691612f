/** The turn record of this machine, in the data directory. */
import type { RecordedRoom, RecordLimits, TurnRecord } from "../../../engine/ports/working-tree.ts";
import { isSnapshot, type RecordedPoint, type SnapshotOutcome } from "../../../stick/rules/snapshot.ts";
import { monotonicMs } from "../../clock/monotonic.ts";
import { isThere } from "../../files/list-names.ts";
import { isWithin } from "../../files/path-in.ts";
import { realPathOrNull, realPlaceOf } from "../../files/real-place.ts";
import type { Environment } from "../../settings/environment.ts";
import { compareTrees, patchBetween } from "./compare-trees.ts";
import { pruneRecords } from "./prune-record.ts";
import type { RecordGitOptions } from "./record-git.ts";
import { findRecord, isPlace, isSafeRecord, prepareRecord, type RecordPlace } from "./record-place.ts";
import { restorePaths } from "./restore-paths.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { loadTreeState } from "./tree-state.ts";
import { keptName, readKept, readTurn, readTurns, writeMoment } from "./turn-files.ts";

export interface TurnRecordOptions {
  readonly dataDir: string;
  readonly home: string | null;
  readonly scratch: readonly string[];
  readonly env?: Environment;
  readonly gitProgram?: string;
  /** Starts a process of ours that calls `workLater` and outlives this one. False when there is no such program. */
  readonly startBackground?: (job: LaterWork) => boolean;
  /** Objects that are younger are never removed. */
  readonly graceMs?: number;
}

/** What a process in the background is told. */
export interface LaterWork extends Pick<TurnRecordOptions, "dataDir" | "home" | "scratch"> {
  /** A first snapshot to take, and the moments that wait for it. */
  readonly first?: { readonly room: RecordedRoom; readonly points: readonly RecordedPoint[] };
  readonly prune?: RecordLimits;
}

/** How long a snapshot in the background may take. */
const FIRST_BUDGET_MS = 60_000;
const RESTORE_BUDGET_MS = 60_000;
const GRACE_MS = 600_000;

export function createTurnRecord(options: TurnRecordOptions): TurnRecord {
  const home = options.home && realPathOrNull(options.home);
  const forGit: RecordGitOptions = {
    env: options.env ?? process.env,
    scratch: options.scratch,
    ...(options.gitProgram !== undefined && { gitProgram: options.gitProgram }),
  };
  const placeAt = (path: string): RecordPlace | null => {
    const place = findRecord(path, options.dataDir, home);
    return isPlace(place) ? place : null;
  };
  const keep: TurnRecord["keep"] = ({ path, roomId }, { turn, moment }, recorded) => {
    const place = placeAt(path);
    return place !== null && keepIn(place, { room: roomId, number: turn, kind: moment }, recorded);
  };

  const later = (work: Pick<LaterWork, "first" | "prune">): boolean => {
    const { dataDir, scratch } = options;
    return options.startBackground?.({ dataDir, home: options.home, scratch, ...work }) ?? false;
  };

  return {
    async snapshot(path, { budgetMs }) {
      const place = findRecord(path, options.dataDir, home);
      if (!isPlace(place)) return place;
      const isFirst = loadTreeState(place) === null;
      const outcome = await snapshotOf(place, forGit, budgetMs);
      const goesOn = isFirst && options.startBackground && !isSnapshot(outcome) && outcome.skipped === "too_slow";
      return goesOn ? { skipped: "pending" } : outcome;
    },

    obstacleAt(path) {
      const place = findRecord(path, options.dataDir, home);
      return isPlace(place) ? null : place.skipped;
    },

    finishLater: (room, points) => later({ first: { room, points } }),

    pruneLater: (limits) => void later({ prune: limits }),

    keep,

    turnsOf({ path, roomId }) {
      const place = placeAt(path);
      return place && isSafeRecord(place.directory) ? readTurns(place.directory, roomId) : [];
    },

    turnOf({ path, roomId }, turn) {
      const place = placeAt(path);
      return place && isSafeRecord(place.directory)
        ? readTurn(place.directory, roomId, turn)
        : { turn, begin: null, end: null };
    },

    nameOf(path, wanted) {
      const place = placeAt(path);
      return place && nameBelow(place.topLevel, wanted);
    },

    async changes(path, from, to, head) {
      const place = placeAt(path);
      return place && compareTrees(place, forGit, { from, to, head });
    },

    async diff(path, from, to, paths) {
      const place = placeAt(path);
      return place && patchBetween(place, forGit, { from, to, paths });
    },

    async restore({ path, roomId }, target, wanted) {
      const place = findRecord(path, options.dataDir, home);
      if (!isPlace(place)) return { obstacle: "no_snapshot", skipped: place.skipped };
      const before = await snapshotOf(place, forGit, RESTORE_BUDGET_MS);
      if (!isSnapshot(before)) return { obstacle: "no_snapshot", skipped: before.skipped };
      const moment = { room: roomId, number: before.takenAtMs, kind: "before-restore" } as const;
      const keepBefore = () =>
        keepIn(place, moment, { outcome: before, late: false })
          ? { name: keptName(moment.number), tree: before }
          : null;
      return restorePaths(place, forGit, { target, before, keep: keepBefore }, wanted);
    },

    keptOf({ path, roomId }) {
      const place = placeAt(path);
      return place && isSafeRecord(place.directory) ? readKept(place.directory, roomId) : [];
    },

    prune: (limits) => {
      const { dataDir, graceMs = GRACE_MS } = options;
      return pruneRecords({ ...limits, dataDir, nowMs: Date.now(), graceMs }, forGit);
    },
  };
}

/** The path may be gone, so what exists of it is resolved. The last part is not: a link is restored as a link. */
function nameBelow(topLevel: string, wanted: string): string | null {
  if (realPathOrNull(wanted) === topLevel) return "";
  try {
    const { path } = realPlaceOf(wanted.replace(/\/+$/, ""));
    return isWithin(topLevel, path) ? path.slice(topLevel.length + 1) : null;
  } catch {
    // A directory above it cannot be entered.
    return null;
  }
}

/** What a process in the background does: one snapshot, kept for all the moments that wait for it, or pruning. */
export async function workLater({ first, prune, ...options }: LaterWork, env: Environment): Promise<void> {
  const record = createTurnRecord({ ...options, env });
  if (first) {
    const outcome = await record.snapshot(first.room.path, { budgetMs: FIRST_BUDGET_MS });
    for (const point of first.points) record.keep(first.room, point, { outcome, late: true });
  }
  if (prune) await record.prune(prune);
}

/** A file that is replaced while git reads it makes git fail, so there is a second try. */
async function snapshotOf(place: RecordPlace, git: RecordGitOptions, budgetMs: number): Promise<SnapshotOutcome> {
  const deadline = monotonicMs() + budgetMs;
  const first = await takeSnapshot(place, git, budgetMs);
  const isChanging = !isSnapshot(first) && first.skipped === "changing";
  return isChanging ? takeSnapshot(place, git, deadline - monotonicMs()) : first;
}

function keepIn(
  place: RecordPlace,
  moment: Parameters<typeof writeMoment>[1],
  recorded: Parameters<typeof writeMoment>[2],
): boolean {
  try {
    prepareRecord(place.directory);
    if (!isSafeRecord(place.directory)) return false;
    writeMoment(place.directory, moment, recorded);
    return true;
  } catch {
    // A full disk, for example. The turn goes on without its record.
    return false;
  }
}

/** The program beside this one that works in the background. It is there only in the built program. */
export function startLaterWork(job: LaterWork, env: Environment): boolean {
  const here = import.meta.url;
  const program = here.startsWith("/") ? `${here.slice(0, here.lastIndexOf("/"))}/record-later.cjs` : null;
  if (program === null || !isThere(program)) return false;
  try {
    const { spawn } = process.getBuiltinModule("node:child_process");
    const options = { cwd: "/", env: { ...env }, detached: true, stdio: "ignore" } as const;
    spawn(process.execPath, [program, JSON.stringify(job)], options)
      .on("error", () => undefined)
      .unref();
    return true;
  } catch {
    // No memory or no file handles for a child.
    return false;
  }
}
