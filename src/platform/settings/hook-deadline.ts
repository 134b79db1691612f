import type { Environment } from "./environment.ts";

/** With the shell before it and the exit after it, less than a second. */
const DEFAULT_MS = 750;
const MAX_MS = 60_000;
/** The guard asks the store before a tool or git command that must not run without an answer, so it may take longer. */
const GUARD_MS = 3000;
const GUARDS = ["guard", "reference-transaction", "pre-rebase"];

/**
 * How long a hook may take, counted from the start of its process. On a slow machine, TT_HOOK_DEADLINE_MS lengthens it.
 * A value that is no such time is ignored, because a wrong setting must not stop an agent.
 */
export function hookDeadlineMs(env: Environment, event = ""): number {
  const usualMs = GUARDS.includes(event) ? GUARD_MS : DEFAULT_MS;
  const givenMs = Number(env["TT_HOOK_DEADLINE_MS"]);
  return givenMs >= usualMs && givenMs <= MAX_MS ? givenMs : usualMs;
}
