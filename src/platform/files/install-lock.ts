/**
 * One `tt install` at a time. A process that wants the lock creates a file that names it. It holds the lock when no
 * other living process has a file there; else it removes its own and tries again. Of two that meet, the later one sees
 * the earlier, so both never hold the lock. Files of dead processes are ignored.
 */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "../../core/fault.ts";
import { fileNameFor, parseFileName } from "../../core/file-name.ts";
import { parseProcessKey, processKey } from "../../core/process.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { jitter } from "../clock/randomness.ts";
import { machineHostId } from "../process/host.ts";
import { createProcessProbe } from "../process/process-probe.ts";
import { listNames } from "./list-names.ts";
import { makePrivateFile } from "./private-path.ts";
import { removeQuietly } from "./replace-file.ts";

const KIND = "lock";
const PATIENCE_MS = 10_000;
const PAUSE_MS = 40;
/** A process that cannot be looked at, such as one in another container, is given this long. */
const UNSEEN_MS = 60_000;

export interface LockOptions {
  /** Creates the directory of the lock. Releasing the lock may remove it, so this runs before each try. */
  readonly prepare: () => void;
  readonly patienceMs?: number;
}

/** Returns the function that releases it. */
export function takeInstallLock(
  directory: string,
  { prepare, patienceMs = PATIENCE_MS }: LockOptions,
): Refusal | (() => void) {
  const probe = createProcessProbe({ host: machineHostId() });
  const ownName = fileNameFor(KIND, processKey(probe.self()));
  const own = join(directory, ownName);
  const holder = () => {
    for (const name of listNames(directory)) {
      const text = name === ownName ? null : parseFileName(KIND, name);
      const process = text === null ? null : parseProcessKey(text);
      if (!process) continue;
      const verdict = probe.verdict(process);
      if (verdict === "alive" || (verdict === "unknown" && isYoung(join(directory, name)))) return process.pid;
      removeQuietly(join(directory, name));
    }
    return null;
  };
  for (const until = Date.now() + patienceMs; ; pause()) {
    const isCreated = createLockFile(own, prepare, until);
    if (typeof isCreated !== "boolean") return isCreated;
    if (!isCreated) continue;
    const pid = holder();
    if (pid === null) return () => void removeQuietly(own);
    removeQuietly(own);
    if (Date.now() >= until) {
      const next = "Wait until that process has ended, then run it again.";
      const facts = { path: directory, cause: "EBUSY" };
      return refuse("invalid_path", `Another tt is changing the same files (process ${pid}).`, next, facts);
    }
  }
}

/** False when another process released the lock and removed the directory between two steps. */
function createLockFile(path: string, prepare: () => void, until: number): boolean | Refusal {
  try {
    prepare();
    makePrivateFile(path);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === "store_readonly") return notHere(dirname(path), error);
    if (Date.now() >= until || existsSync(dirname(path))) throw error;
    return false;
  }
}

/** A caller that may not write here cannot install anything; most likely it is an agent in a sandbox. */
function notHere(directory: string, { facts }: Fault): Refusal {
  const { cause = "EACCES" } = facts;
  const message = `${directory} may not be written by this process (${String(cause)}).`;
  return refuse("invalid_path", message, "Run it in a terminal of your own, outside of any sandbox.", {
    path: directory,
    cause: String(cause),
  });
}

/** Of random length, so that two processes do not keep colliding. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS * (0.5 + jitter()));
}

function isYoung(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < UNSEEN_MS;
}
