import { readTextOrNull } from "../files/bounded-read.ts";
import { pathIn } from "../files/path-in.ts";
import type { GitRepository } from "./git-checkout.ts";

export interface GitHead {
  readonly commit: string | null;
  /** Null when no branch is checked out. */
  readonly branch: string | null;
}

const REF_BYTES = 4096;
const PACKED_REFS_BYTES = 16 * 1024 * 1024;
const SYMBOLIC_REFS_MAX = 5;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

export function isCommitId(text: string): boolean {
  return COMMIT.test(text);
}

/** What is checked out, read from files alone. A repository of an unfamiliar format shows nothing. */
export function readGitHead(repository: GitRepository): GitHead {
  let text = readTextOrNull(pathIn(repository.gitDir, "HEAD"), REF_BYTES)?.trim() ?? "";
  const branch = /^ref: *refs\/heads\/(.+)$/.exec(text)?.[1] ?? null;
  for (let step = 0; step < SYMBOLIC_REFS_MAX && text.startsWith("ref:"); step += 1) {
    text = readRef(repository, text.slice("ref:".length).trim()) ?? "";
  }
  return { commit: isCommitId(text) ? text : null, branch: branch === ".invalid" ? null : branch };
}

/** A loose ref wins over a packed one, and a working tree's own over the shared one. */
function readRef({ gitDir, commonDir }: GitRepository, name: string): string | null {
  if (!/^refs\/[^\0]+$/.test(name) || name.split("/").includes("..")) return null;
  const loose = readTextOrNull(pathIn(gitDir, name), REF_BYTES) ?? readTextOrNull(pathIn(commonDir, name), REF_BYTES);
  return loose?.trim() ?? readPackedRef(commonDir, name);
}

function readPackedRef(commonDir: string, name: string): string | null {
  const packed = readTextOrNull(pathIn(commonDir, "packed-refs"), PACKED_REFS_BYTES);
  const line = packed?.split("\n").find((candidate) => candidate.endsWith(` ${name}`));
  return line === undefined ? null : line.slice(0, -name.length - 1);
}
