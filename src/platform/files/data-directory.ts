/**
 * Finds the data directory and checks that only its user can use it. Before the program opens a file in there, it
 * checks the file's kind, owner and permissions. If another user owns the file or may use it, the program refuses and
 * names the command that repairs it.
 */

import { realpathSync, rmSync, type Stats } from "node:fs";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { ASK_PERSON_NEXT, ELSEWHERE_NEXT, Fault, type ForbiddenPath } from "../../core/fault.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { Environment } from "../settings/environment.ts";
import { storePathFault } from "../settings/store-path-fault.ts";
import { networkFileSystem } from "./file-system-kind.ts";
import { forbiddenPath } from "./forbidden-path.ts";
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

/** A relative path is a wrong setting (config.ts). Only undoing an installation accepts it. */
export function resolveDataDirectory(env: Environment, config: { readonly dataDir: string | null }): string {
  const named = env["TT_DATA_DIR"] || config.dataDir;
  if (named) return absolute(named);
  const shared = env["XDG_DATA_HOME"];
  // The convention for this variable says that a relative value does not count.
  if (shared && isAbsolute(shared)) return resolve(shared, "tt");
  const home = homeDirectory(env);
  if (home !== null) return resolve(home, ".local/share/tt");
  throw new Fault("store_unsafe", "There is no home directory for the data.", {
    next: ELSEWHERE_NEXT,
    nextInHarness: ASK_PERSON_NEXT,
    retry: false,
  });
}

function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (error) {
    // The current directory, which the path is relative to, no longer exists.
    throw storePathFault(path, error);
  }
}

/** Creates what is missing and checks what is there. Any number of processes may do so at once. */
export function prepareDataDirectory(path: string, options: PrepareOptions) {
  refuseNetwork(path, options.onNetwork ?? networkFileSystem);
  prepareOwnFiles(path, options);
  const bell = pathIn(path, "bell");
  ensurePrivateDirectory(bell, options.uid);
  const database = pathIn(path, "tt.db");
  prepareDatabase(database, { uid: options.uid, mark: pathIn(bell, "all") });
  return { bell, database };
}

/** Only the files that agents keep for themselves. They need no locks. */
export function prepareOwnFiles(path: string, { uid }: Pick<PrepareOptions, "uid">): void {
  makeParents(dirname(path));
  ensurePrivateDirectory(path, uid);
  for (const name of OWN_DIRECTORIES) ensurePrivateDirectory(pathIn(path, name), uid);
}

/** Whether there is a database to open. If there is none, the other files are still checked. Creates nothing. */
export function hasDatabase(path: string, options: PrepareOptions): boolean {
  return lookAt(pathIn(path, "tt.db")) !== null || inspectDataDirectory(path, options) !== null;
}

/** Checks what is there and creates nothing. Returns the database's path, or null if there is none yet. */
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

/** The outermost of the database's files, or of the directories around them, that this process may not write. */
export function forbiddenInStore(database: string): ForbiddenPath | null {
  const directory = dirname(database);
  // A changing command restores the owner's permissions on our directory.
  const isRepaired = ({ path, cause, isOwn }: ForbiddenPath) => path === directory && isOwn && cause !== "EROFS";
  const found = forbiddenPath(directory);
  if (found && !isRepaired(found)) return found;
  const files = ["", ...COMPANIONS].map((ending) => `${database}${ending}`).filter((file) => lookAt(file) !== null);
  const [first, ...others] = files.flatMap((file) => forbiddenPath(file) ?? []);
  // SQLite gives the files beside a read-only database the same mode, so one repair must cover them all.
  return first ? { ...first, others: others.map(({ path }) => path).filter((path) => path !== first.path) } : null;
}

/** Each of these files is also checked whenever it is read. */
function inspectAgentFiles(agents: string, uid: number): void {
  for (const name of listNames(agents)) {
    const file = pathIn(agents, name);
    const stats = lookAt(file);
    if (stats !== null && !stats.isDirectory()) assertPrivateFile(file, stats, uid, takingAway(agents));
  }
}

/**
 * The database is created before SQLite opens it, because the files beside it get its mode. An empty database is either
 * new, or it was a store and something has cut it to nothing. The file of the bell tells which: the bell first rings
 * after a change, so that file shows that the store was in use. It is removed before a new database is created.
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
  // Checked again, because another process may have filled it and rung in between.
  if (isEmpty(stats) && lookAt(mark) !== null && isEmpty(lookAt(path))) throw cutToNothing(path);
}

function assertCompanions(database: string, uid: number): void {
  for (const file of COMPANIONS.map((ending) => `${database}${ending}`)) {
    const stats = lookAt(file);
    if (stats !== null) assertPrivateFile(file, stats, uid);
  }
}

/** SQLite would remove the log, and with it the changes that are not in the database yet. */
function refuseLogAlone(path: string): void {
  const log = lookAt(`${path}-wal`);
  // Checked again, because another process may have created both in between.
  if (log === null || log.size === 0 || lookAt(path) !== null) return;
  throw new Fault("store_unsafe", `${path} is missing, but its log ${path}-wal is there.`, {
    next: `Put ${path} back; to start with an empty store, remove its log: rm ${shellWord(`${path}-wal`)} ${shellWord(`${path}-shm`)}`,
    nextInHarness: ASK_PERSON_NEXT,
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
    next: `End every process that has it open (tt doctor lists them), and try again. If it is still empty, restore it from a backup. Before that, remove the old log, which SQLite would apply to it (rm -f ${shellWord(`${path}-wal`)} ${shellWord(`${path}-shm`)}). To start with an empty store, remove it: rm ${shellWord(path)}`,
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
    { next: ELSEWHERE_NEXT, nextInHarness: ASK_PERSON_NEXT, retry: false, facts: { path, kind } },
  );
}

/** The path without symlinks, as far as it exists already. */
function realPathAhead(path: string, wanted = path): string {
  // This check comes before the question for the real path: another process may create the directory in between, but
  // none removes it.
  if (lookAt(path) === null)
    return dirname(path) === path ? path : pathIn(realPathAhead(dirname(path), wanted), basename(path));
  try {
    return realpathSync.native(path);
  } catch (error) {
    throw storePathFault(wanted, error);
  }
}
