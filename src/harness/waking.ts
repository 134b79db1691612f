/**
 * Every way to wake a session from outside: what each harness offers, and tmux. Many answers look into an inbox. A
 * terminal is read only to wake a session, and its code is loaded then.
 */

import type { OwnInbox, WakeTarget, Waking } from "../engine/ports/wake.ts";
import type { WakeMode } from "../mail/rules/wake-status.ts";
import { shownSessionId } from "../platform/agents/session-file.ts";
import type { Environment } from "../platform/settings/environment.ts";
import type { Composer } from "../wake/rules/composer.ts";
import type { HarnessWorld } from "./contract.ts";
import { HARNESSES, harnessNamed } from "./harnesses.ts";

export interface WakingOptions extends HarnessWorld {
  readonly mode: WakeMode;
}

export function createWaking(world: WakingOptions): Waking {
  const inboxOf = (target: WakeTarget) => harnessNamed(target.harness)?.inbox?.find(target, world) ?? null;
  return {
    mode: world.mode,
    hasInbox: (target) => inboxOf(target) !== null,
    push: async (target, { text, forMs }) => (await inboxOf(target)?.(text, forMs)) ?? "no_target",
    obstacle: async (target, forMs) =>
      (await terminals()).terminalObstacle(world, target, composerOf(world, target), forMs),
    type: async (target, forMs, mayAct) =>
      (await terminals()).typeIntoTerminal(world, target, composerOf(world, target), { forMs, mayAct }),
  };
}

function terminals() {
  return import("./terminal-wake.ts");
}

/** The inbox of the session that runs this very process, where its harness names it in the environment. */
export function ownInboxIn(env: Environment): OwnInbox | null {
  return HARNESSES.map(({ inbox }) => inbox?.own?.(env)).find((own) => own) ?? null;
}

/** None for a session that is over: if the harness says which session its process shows now, it must be this one. */
function composerOf({ env, home }: HarnessWorld, { harness, process, sessionId }: WakeTarget): Composer | undefined {
  const known = harnessNamed(harness);
  const shown = known && process ? shownSessionId(known, process.pid, env, home) : null;
  const isOver = shown !== null && sessionId !== null && shown !== sessionId;
  return isOver ? undefined : known?.composer?.();
}
