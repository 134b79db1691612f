import type { Environment } from "./environment.ts";

/** With the shell before it and the exit after it, less than a second. */
const DEFAULT_MS = 750;
const MAX_MS = 60_000;

/**
 * How long a hook may take, counted from the start of its process. On a slow machine, TT_HOOK_DEADLINE_MS lengthens it.
 * A value that is no such time is ignored, because a wrong setting must not stop an agent.
 */
export function hookDeadlineMs(env: Environment): number {
  const givenMs = Number(env["TT_HOOK_DEADLINE_MS"]);
  return givenMs >= DEFAULT_MS && givenMs <= MAX_MS ? givenMs : DEFAULT_MS;
}
