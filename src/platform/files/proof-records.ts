/** The results of `tt doctor --prove`, one for each harness. They lie beside the records of `tt install`. */
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDocument } from "../../install/rules/entry.ts";
import type { HarnessProof } from "../../prove/rules/protection.ts";
import { storePathFault } from "../settings/store-path-fault.ts";
import { readTextOrNull } from "./bounded-read.ts";
import { PROOFS_FILE } from "./install-records.ts";
import { replaceFile } from "./replace-file.ts";

const MAX_BYTES = 1024 * 1024;

type Proofs = Readonly<Record<string, HarnessProof>>;

export function readProofs(stateDirectory: string): Proofs {
  try {
    const known: unknown = JSON.parse(readTextOrNull(fileIn(stateDirectory), MAX_BYTES) ?? "{}");
    return isDocument(known) ? Object.fromEntries(Object.entries(known).filter(isProof)) : {};
  } catch {
    // We did not write it: nothing is proven.
    return {};
  }
}

/** Replaces what is known of these harnesses. */
export function keepProofs(stateDirectory: string, proofs: readonly HarnessProof[]): void {
  const path = fileIn(stateDirectory);
  const all = { ...readProofs(stateDirectory), ...Object.fromEntries(proofs.map((proof) => [proof.harness, proof])) };
  try {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify(all, null, 2)}\n`, 0o600);
  } catch (error) {
    throw storePathFault(path, error);
  }
}

/** Tells a program file from the one that an update puts in its place; null if there is none. */
export function programMark(path: string): string | null {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return [realpathSync(path), ino, size, Math.floor(mtimeMs)].join(":");
  } catch {
    // It is not there, or may not be looked at.
    return null;
  }
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, PROOFS_FILE);
}

const TEXTS = ["harness", "version", "ttVersion", "program", "provenAt"];

function isProof(entry: [string, unknown]): entry is [string, HarnessProof] {
  const [, proof] = entry;
  return isDocument(proof) && TEXTS.every((key) => typeof proof[key] === "string") && Array.isArray(proof["checks"]);
}
