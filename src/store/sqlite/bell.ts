/**
 * Doorbell files: one for every agent and one called `all`, in a directory of their own.
 *
 * Ringing touches the file's times, once for any number of waiters, and needs no daemon. Waiters watch the one file. The
 * kernel merges fast touches, which is fine: a ring only means that a look is worth it. A watch dies silently when its
 * file is replaced, so on `rename` the file is created and watched again. That happens after a delay, because a process
 * that removes the whole directory must not find a new file in it.
 *
 * A waiter is woken just after the runtime's callback, not inside it. A watch that is closed inside a callback lives on
 * until all callbacks are done, and the next watch on the same file would get its rings. Closing a watch takes time, so a
 * woken waiter does not wait for it: the watch is closed soon after, or when the next one begins.
 *
 * Where watching fails (too many watches, a read-only directory) the subscription looks often instead.
 */
import {
  chmodSync,
  closeSync,
  constants,
  type FSWatcher,
  fchmodSync,
  fstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  watch,
} from "node:fs";
import { dirname } from "node:path";
import { ASK_PERSON_NEXT, Fault } from "../../core/fault.ts";
import { fileNameFor } from "../../core/file-name.ts";
import type { AgentId } from "../../core/ids.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { Bell, Subscription } from "../../engine/ports/bell.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { PendingRings } from "../subscriptions.ts";
import { storeFault } from "./faults.ts";

/** No agent's file can have this name. */
const ALL = "all";

/** The bell of one agent. */
export function bellFileName(agentId: AgentId): string {
  return fileNameFor("agent", agentId);
}

const MOST_PATHS = 1000;

/** Longer than it takes to remove a directory of bells, and shorter than the pause between looks without a watch. */
const LOST_MS = 30;

const LOOK_EVERY_MS = { watching: 2000, blind: 40 } as const;

export function openFileBell(options: { readonly directory: string; readonly clock: Clock }): Bell {
  const { directory, clock } = options;
  const open = new Set<Subscription>();
  /** The same few agents are rung again and again, and writing a file name takes longer than touching the file. */
  const paths = new Map<AgentId, string>();
  const pathOf = (agentId: AgentId): string => {
    const known = paths.get(agentId) ?? `${directory}/${bellFileName(agentId)}`;
    if (paths.size < MOST_PATHS) paths.set(agentId, known);
    return known;
  };
  /** The files that were created, or found to be ours. */
  const checked = new Set<string>();
  const ending = new EndingWatches();
  return {
    async ring(agents, { ringer, wallMs = clock.now().wallMs } = {}) {
      const seconds = wallMs / 1000;
      const others = agents.filter((agentId) => agentId !== ringer);
      for (const agentId of others) touch(pathOf(agentId), seconds);
      touch(`${directory}/${ALL}`, seconds);
      if (others.length < agents.length && ringer) touch(pathOf(ringer), seconds);
    },
    async subscribe(to) {
      const path = to === "all" ? `${directory}/${ALL}` : pathOf(to);
      ending.finish();
      const subscription = listenTo(path, { checked, ending }, () => open.delete(subscription));
      open.add(subscription);
      return subscription;
    },
    async close() {
      for (const subscription of open) subscription.close();
      ending.finish();
    },
  };
}

/** Watches without a listener, still to be closed. */
class EndingWatches {
  readonly #watches = new Set<FSWatcher>();

  add(watcher: FSWatcher): void {
    if (this.#watches.size === 0) setImmediate(() => this.finish());
    this.#watches.add(watcher);
  }

  finish(): void {
    for (const watcher of this.#watches) watcher.close();
    this.#watches.clear();
  }
}

interface Upkeep {
  readonly checked: Set<string>;
  readonly ending: EndingWatches;
}

function touch(path: string, seconds: number): void {
  try {
    // If another user planted a link there, the link itself is touched, not its target.
    lutimesSync(path, seconds, seconds);
  } catch {
    try {
      ensureBellFile(path);
    } catch {
      // A ring that cannot be heard costs only time: every waiter also looks by itself.
    }
  }
}

function listenTo(path: string, { checked, ending }: Upkeep, onClose: () => void): Subscription {
  let watcher: FSWatcher | null = null;
  let isClosed = false;
  const rings = new PendingRings({
    lookEveryMs: () => (watcher === null ? LOOK_EVERY_MS.blind : LOOK_EVERY_MS.watching),
    onClose: () => {
      isClosed = true;
      if (watcher !== null) ending.add(watcher);
      watcher = null;
      onClose();
    },
  });
  const listen = () => {
    watcher = watchFile(path, checked, { onTouch: () => setImmediate(() => rings.ring()), onLost });
  };
  const onLost = () => {
    watcher?.close();
    watcher = null;
    checked.delete(path);
    rings.ring();
    setTimeout(listenAgain, LOST_MS).unref();
  };
  const listenAgain = () => {
    if (isClosed || watcher !== null) return;
    try {
      listen();
    } catch {
      // The file there now is not our bell. Without a watch the subscription looks often.
    }
    rings.ring();
  };
  listen();
  return rings;
}

/** Null when the file cannot be created or watched. */
function watchFile(
  path: string,
  checked: Set<string>,
  { onTouch, onLost }: { onTouch: () => void; onLost: () => void },
): FSWatcher | null {
  try {
    const watcher = watchOrMake(path, checked);
    watcher.on("change", (event) => (event === "rename" ? onLost() : onTouch()));
    watcher.on("error", onLost);
    return watcher;
  } catch (error) {
    if (error instanceof Fault) throw error;
    // EMFILE, ENOSPC, EROFS and their like: without a watch the subscription looks often.
    return null;
  }
}

/** A file that was checked once is not checked for each wait: watching it does no harm. */
function watchOrMake(path: string, checked: Set<string>): FSWatcher {
  // A subscription alone does not keep a process alive: the timer of a pending `next` does.
  const begin = () => watch(path, { persistent: false });
  if (checked.has(path)) {
    try {
      return begin();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  ensureBellFile(path);
  checked.add(path);
  return begin();
}

function ensureBellFile(path: string): void {
  const directory = dirname(path);
  makeDirectory(directory);
  const { O_RDONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const descriptor = openBell(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    // With a second link it is also another program's file, whose mode is not ours to change.
    if (!stats.isFile() || stats.nlink > 1) throw notABell(path);
    if ((stats.mode & 0o777) !== 0o600) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

/** Never creates the data directory: if that was removed, a bell must not create it again. */
function makeDirectory(directory: string): void {
  // A part of a long name lies in the directory of the part before it.
  if (directory.endsWith("+")) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
    // The umask may remove even the owner's rights, here and below.
    chmodSync(directory, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function openBell(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ELOOP" || code === "EISDIR" || code === "ENXIO" ? notABell(path) : error;
  }
}

function notABell(path: string): Fault {
  return storeFault("store_unsafe", `${path} is not a plain file of ours.`, {
    next: `Move it away, and tt creates a new one: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
    nextInHarness: ASK_PERSON_NEXT,
    facts: { file: path },
  });
}
