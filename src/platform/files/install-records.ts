/**
 * What we remember about files that we changed: the ledger, and copies of what was there. They lie in a place that is
 * found from HOME alone, because the files do not depend on which data directory is in use.
 */
import { existsSync, mkdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isRefusal } from "../../core/refusal.ts";
import type { ConfigFiles } from "../../engine/ports/config-files.ts";
import { isDocument } from "../../install/rules/entry.ts";
import { EMPTY_LEDGER, type Ledger } from "../../install/rules/wanted-file.ts";
import { storePathFault } from "../settings/store-path-fault.ts";
import { readTextOrNull } from "./bounded-read.ts";
import { sha256Hex } from "./digest.ts";
import { takeInstallLock } from "./install-lock.ts";
import { listNames } from "./list-names.ts";
import { makeDirectories, missingAbove, removeDirectories } from "./made-directories.ts";
import { replaceFile, sweep } from "./replace-file.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** Of each file; older ones go. */
const COPIES = 5;
/** What was proven about harnesses; see proof-records.ts. */
export const PROOFS_FILE = "proofs.json";

type Records = Pick<ConfigFiles, "alone" | "keepCopy" | "dropCopy" | "readLedger" | "writeLedger">;

export function stateDirectoryIn(home: string): string {
  return join(home, ".local/state/tt");
}

/** Beside the ledger, and not in the data directory: there the shells of agents may write. */
export function hookScriptIn(stateDirectory: string): string {
  return join(stateDirectory, "hooks/tt-hook");
}

/** The script that git calls. */
export function gitGuardIn(stateDirectory: string): string {
  return join(stateDirectory, "hooks/tt-git-guard");
}

export function copiesIn(stateDirectory: string): string {
  return join(stateDirectory, "backups");
}

export function openInstallRecords(stateDirectory: string): Records {
  const ledgerFile = join(stateDirectory, "install.json");
  const copies = copiesIn(stateDirectory);
  /** Directories that were made for all this, as far as it is known by now. */
  let own: readonly string[] = [];
  const prepare = () => {
    const missing = missingAbove(ledgerFile);
    makeDirectories(missing);
    own = [...own, ...missing];
  };
  const copyOf = (name: string, text: string) => join(copies, `${name}.${sha256Hex(text).slice(0, 8)}`);
  return {
    alone(work) {
      const letGo = takeInstallLock(stateDirectory, { prepare });
      if (isRefusal(letGo)) return letGo;
      try {
        for (const directory of [stateDirectory, copies]) sweep(directory);
        return work();
      } finally {
        letGo();
        if (!existsSync(ledgerFile))
          removeDirectories([...own, ...(own.includes(stateDirectory) ? [] : [stateDirectory]), copies]);
      }
    },
    readLedger: () => parsed(readTextOrNull(ledgerFile, MAX_BYTES)),
    writeLedger(ledger) {
      own = [...new Set([...(ledger.directories ?? []), ...own])];
      if (Object.keys(ledger.files).length === 0 && Object.keys(ledger.harnesses).length === 0) {
        removeIfThere(ledgerFile);
        removeIfThere(join(stateDirectory, PROOFS_FILE));
        return;
      }
      const text = `${JSON.stringify({ ...ledger, directories: own }, null, 2)}\n`;
      if (readTextOrNull(ledgerFile, MAX_BYTES) === text) return;
      writeInside(stateDirectory, ledgerFile, text);
    },
    keepCopy(name, text) {
      const path = copyOf(name, text);
      if (existsSync(path)) return path;
      writeInside(copies, path, text);
      removeOld(copies, name);
      return path;
    },
    dropCopy(name, text) {
      removeIfThere(copyOf(name, text));
    },
  };
}

function writeInside(directory: string, path: string, text: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    replaceFile(path, text, 0o600, { durable: true });
  } catch (error) {
    throw storePathFault(path, error);
  }
}

function parsed(text: string | null): Ledger {
  if (text === null) return EMPTY_LEDGER;
  try {
    const value: unknown = JSON.parse(text);
    const isOurs = isDocument(value) && isDocument(value["files"]) && isDocument(value["harnesses"]);
    return isOurs ? (value as unknown as Ledger) : EMPTY_LEDGER;
  } catch {
    // We did not write it. Our entries are then recognised by their content.
    return EMPTY_LEDGER;
  }
}

function removeOld(directory: string, name: string): void {
  const own = listNames(directory)
    .filter((one) => one.startsWith(`${name}.`) && /^[0-9a-f]{8}$/.test(one.slice(name.length + 1)))
    .map((one) => join(directory, one))
    .toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const path of own.slice(COPIES)) removeIfThere(path);
}

function removeIfThere(path: string): void {
  if (existsSync(path)) unlinkSync(path);
}
