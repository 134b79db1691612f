/**
 * Doorbell files: one for every agent and one called `all`, in a directory of their own.
 *
 * Ringing touches the file's times, once for any number of waiters, and needs no daemon. Waiters watch the one
 * file. The kernel merges touches that come fast, which is fine: a ring says only that a look is worth it. A
 * watch dies silently when its file is replaced, so on `rename` the file is made again and watched again, but not at
 * once: whoever removes the whole directory must not find a new file in it. A waiter
 * is woken a moment after the runtime has told of the touch, and not while it tells: a watch that is ended meanwhile
 * lives on until all is told, and the next one on the same file would hear what was meant for it. To end a watch takes
 * a while, so whoever has heard does not wait for that: it ends soon after, or when the next one begins.
 * Where nothing can be watched (too many watches, a read-only directory) the subscription looks often instead.
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
import { Fault } from "../../core/fault.ts";
import { fileNameFor } from "../../core/file-name.ts";
import type { AgentId } from "../../core/ids.ts";
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

/** Longer than it takes to remove a directory of bells, and shorter than one who cannot hear waits for its next look. */
const LOST_MS = 30;

const LOOK_EVERY_MS = { watching: 2000, blind: 40 } as const;

export function openFileBell(options: { readonly directory: string; readonly clock: Clock }): Bell {
  const { directory, clock } = options;
  const open = new Set<Subscription>();
  /** The same few agents are rung for again and again, and their names take longer to spell than their files to touch. */
  const paths = new Map<AgentId, string>();
  const pathOf = (agentId: AgentId): string => {
    const known = paths.get(agentId) ?? `${directory}/${bellFileName(agentId)}`;
    if (paths.size < MOST_PATHS) paths.set(agentId, known);
    return known;
  };
  /** The files that were made, or found to be ours. */
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

/** Watches that nobody listens to any more. */
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
    // Of a planted link the link itself is touched, not what it points at.
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
      // What lies there now is no bell of ours. Without a watch the subscription looks often.
    }
    rings.ring();
  };
  listen();
  return rings;
}

/** Null when the file cannot be made or watched. */
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

/** An agent that waits again and again need not look at its file each time; a watch alone can do no harm. */
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
    // A second name would be that of another file, whose mode is not ours to change.
    if (!stats.isFile() || stats.nlink > 1) throw notABell(path);
    if ((stats.mode & 0o777) !== 0o600) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

/** Not the one that it is all in: where the data directory was removed, it is not for a bell to make it again. */
function makeDirectory(directory: string): void {
  // A part of a long name, in the directory of the part before it.
  if (directory.endsWith("+")) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
    // The umask may have taken away even the owner's rights, here and below.
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
    next: "Remove it; the bell file is made again by itself.",
    facts: { file: path },
  });
}
