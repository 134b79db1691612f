import type { Deps } from "../engine/deps.ts";

/** Finds transcripts by the harnesses' own rules, for sessions of which nothing else is known. */
export function transcriptFinder({ sights }: Deps, cwd: string): (harness: string, sessionId: string) => string | null {
  return (harness, sessionId) =>
    sights?.transcriptPath({ harness, sessionId, cwd, process: null, transcriptPath: null }) ?? null;
}
