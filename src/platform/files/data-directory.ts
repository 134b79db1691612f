/**
 * Where the data is and that it is ours alone. Everything that we open in there is looked at first: its kind,
 * its owner, its permissions. A loose or foreign one is refused with the command that repairs it.
 */

import { realpathSync, rmSync, type Stats } from "node:fs";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { Fault } from "../../core/fault.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { Environment } from "../settings/environment.ts";
import { storePathFault } from "../settings/store-path-fault.ts";
import { networkFileSystem } from "./file-system-kind.ts";
import { homeDirectory } from "./home-directory.ts";
import { listNames } from "./list-names.ts";
import { pathIn } from "./path-in.ts";
import {
  assertPrivateDirectory,
  assertPrivateFile,
  ensurePrivateDirectory,
  finishPrivateFile,
  lookAt,
  makePrivateDirectory,
  makePrivateFile,
  takingAway,
} from "./private-path.ts";

/** What every agent of this machine keeps for itself, wherever the store is. */
const OWN_DIRECTORIES = ["agents", "activity", "flags"];
/** The files that SQLite makes beside a database. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

export interface PrepareOptions {
  readonly uid: number;
  /** The kind of network file system at a path, or null; replaced in tests. */
  readonly onNetwork?: (path: string) => string | null;
}

/** A relative path is a wrong setting (config.ts); only to undo an installation is it taken as it is. */
export function resolveDataDirectory(env: Environment, config: { readonly dataDir: string | null }): string {
  const named = env["TT_DATA_DIR"] || config.dataDir;
  if (named) return absolute(named);
  const shared = env["XDG_DATA_HOME"];
  // The convention for this variable says that a relative value does not count.
  if (shared && isAbsolute(shared)) return resolve(shared, "tt");
  const home = homeDirectory(env);
  if (home !== null) return resolve(home, ".local/share/tt");
  throw new Fault("store_unsafe", "There is no home directory for the data.", {
    next: "Set TT_DATA_DIR to a directory that only you can use.",
    retry: false,
  });
}

function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (error) {
    // The directory that it is relative to has vanished.
    throw storePathFault(path, error);
  }
}

/** Makes what is missing and checks what is there. May be done by any number of processes at once. */
export function prepareDataDirectory(path: string, options: PrepareOptions) {
  refuseNetwork(path, options.onNetwork ?? networkFileSystem);
  prepareOwnFiles(path, options);
  const bell = pathIn(path, "bell");
  ensurePrivateDirectory(bell, options.uid);
  const database = pathIn(path, "tt.db");
  prepareDatabase(database, { uid: options.uid, mark: pathIn(bell, "all") });
  return { bell, database };
}

/** Only what agents keep for themselves: these files need no locks. */
export function prepareOwnFiles(path: string, { uid }: Pick<PrepareOptions, "uid">): void {
  makeParents(dirname(path));
  ensurePrivateDirectory(path, uid);
  for (const name of OWN_DIRECTORIES) ensurePrivateDirectory(pathIn(path, name), uid);
}

/** Whether there is a database to open. Where there is none, what else is there must still be ours. Makes nothing. */
export function hasDatabase(path: string, options: PrepareOptions): boolean {
  return lookAt(pathIn(path, "tt.db")) !== null || inspectDataDirectory(path, options) !== null;
}

/** Checks what is there and makes nothing. The database's path, or null when there is none yet. */
export function inspectDataDirectory(path: string, options: PrepareOptions): string | null {
  const stats = lookAt(path);
  if (stats === null) return null;
  refuseNetwork(path, options.onNetwork ?? networkFileSystem);
  assertPrivateDirectory(path, stats, options.uid);
  for (const name of ["bell", ...OWN_DIRECTORIES]) {
    const inside = lookAt(pathIn(path, name));
    if (inside !== null) assertPrivateDirectory(pathIn(path, name), inside, options.uid);
  }
  const database = pathIn(path, "tt.db");
  const found = lookAt(database);
  if (found !== null) assertPrivateFile(database, found, options.uid);
  assertCompanions(database, options.uid);
  inspectAgentFiles(pathIn(path, "agents"), options.uid);
  if (found === null) refuseLogAlone(database);
  return found && database;
}

/** These are also looked at whenever one of them is read. */
function inspectAgentFiles(agents: string, uid: number): void {
  for (const name of listNames(agents)) {
    const file = pathIn(agents, name);
    const stats = lookAt(file);
    if (stats !== null && !stats.isDirectory()) assertPrivateFile(file, stats, uid, takingAway(agents));
  }
}

/**
 * The database is made before SQLite opens it, because its companions take over its mode. An empty one is about to
 * become a store, or it was one and something has cut it to nothing. The bell tells them apart: it first rings
 * after a change, so it is the mark of a store that was in use, and goes away before a new database is made.
 */
function prepareDatabase(path: string, { uid, mark }: { readonly uid: number; readonly mark: string }): void {
  let stats = lookAt(path);
  if (stats === null) {
    refuseLogAlone(path);
    removeMark(mark);
    makePrivateFile(path);
    stats = lookAt(path);
  }
  if (stats !== null) {
    assertPrivateFile(path, stats, uid);
    finishPrivateFile(path, stats);
  }
  assertCompanions(path, uid);
  // Looked at again, because another process may have filled it and rung in between.
  if (isEmpty(stats) && lookAt(mark) !== null && isEmpty(lookAt(path))) throw cutToNothing(path);
}

function assertCompanions(database: string, uid: number): void {
  for (const file of COMPANIONS.map((ending) => `${database}${ending}`)) {
    const stats = lookAt(file);
    if (stats !== null) assertPrivateFile(file, stats, uid);
  }
}

/** SQLite would remove the log, and with it what was not in the database yet. */
function refuseLogAlone(path: string): void {
  const log = lookAt(`${path}-wal`);
  // Looked at again, because another process may have made both in between.
  if (log === null || log.size === 0 || lookAt(path) !== null) return;
  throw new Fault("store_unsafe", `${path} is missing, but its log ${path}-wal is there.`, {
    next: `Put ${path} back; to start with an empty store, remove its log: rm ${shellWord(`${path}-wal`)} ${shellWord(`${path}-shm`)}`,
    retry: false,
    facts: { path },
  });
}

/** SQLite takes a file of one byte for an empty one, too. */
function isEmpty(stats: Stats | null): boolean {
  return stats !== null && stats.size <= 1;
}

function removeMark(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw storePathFault(path, error);
  }
}

function cutToNothing(path: string): Fault {
  return new Fault("store_corrupt", `${path} is empty, but it has held data before.`, {
    next: `End every process that has it open (tt doctor lists them), and try again. If it is still empty, restore it from a backup. To start with an empty store, remove it: rm ${shellWord(path)}`,
    retry: false,
    facts: { path },
  });
}

/** Parents that have to be created are private too; those that exist are left as they are. */
function makeParents(path: string): void {
  if (lookAt(path) !== null) return;
  makeParents(dirname(path));
  makePrivateDirectory(path);
}

function refuseNetwork(path: string, onNetwork: (path: string) => string | null): void {
  const kind = onNetwork(realPathAhead(path));
  if (kind === null) return;
  throw new Fault(
    "store_unsafe",
    `${path} is on a network file system (${kind}), where the locks of a database cannot be trusted.`,
    { next: "Set TT_DATA_DIR to a directory on a local disk.", retry: false, facts: { path, kind } },
  );
}

/** The path without symlinks, as far as it exists already. */
function realPathAhead(path: string): string {
  // Before the real path is asked for: another process may make the directory in between, but none takes it away.
  if (lookAt(path) === null)
    return dirname(path) === path ? path : pathIn(realPathAhead(dirname(path)), basename(path));
  try {
    return realpathSync.native(path);
  } catch (error) {
    throw storePathFault(path, error);
  }
}
