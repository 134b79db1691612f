/** The file in which a harness itself keeps the session of one of its processes. */
import type { HarnessIdentity, Variables } from "../../core/harness.ts";
import { readTextOrNull } from "../files/bounded-read.ts";

const MOST_BYTES = 65_536;

/** Null when the harness keeps none, or none that can be read. */
export function readSessionFile(
  { sessionFile }: Pick<HarnessIdentity, "sessionFile">,
  pid: number,
  env: Variables,
  home: string | null,
): string | null {
  return sessionFile && home !== null ? readTextOrNull(sessionFile.path(pid, env, home), MOST_BYTES) : null;
}

/** The session that the process shows now. */
export function shownSessionId(
  harness: Pick<HarnessIdentity, "sessionFile">,
  pid: number,
  env: Variables,
  home: string | null,
): string | null {
  const text = readSessionFile(harness, pid, env, home);
  return text === null ? null : (harness.sessionFile?.sessionIdIn(text, pid) ?? null);
}
