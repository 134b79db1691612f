/**
 * Every way to wake a session from outside, put together from what each harness offers and from tmux. A look into an
 * inbox is part of many answers; a terminal is looked at only when somebody is to be woken, and loaded then.
 */

import type { WakeTarget, Waking } from "../engine/ports/wake.ts";
import type { WakeMode } from "../mail/rules/wake-status.ts";
import { claudeCodeInbox } from "./claude-code/wake.ts";
import { codexInbox } from "./codex/wake.ts";
import type { HarnessInbox, InboxWorld } from "./inbox.ts";

/** Gemini has none. OpenCode's is used by our plugin, from inside. */
const INBOXES: Readonly<Record<string, HarnessInbox>> = { claude: claudeCodeInbox, codex: codexInbox };

export interface WakingOptions extends InboxWorld {
  readonly mode: WakeMode;
}

export function createWaking(world: WakingOptions): Waking {
  const inboxOf = (target: WakeTarget) => INBOXES[target.harness]?.find(target, world) ?? null;
  return {
    mode: world.mode,
    hasInbox: (target) => inboxOf(target) !== null,
    push: async (target, { text, forMs }) => (await inboxOf(target)?.(text, forMs)) ?? "no_target",
    obstacle: async (target, forMs) => (await terminals()).obstacleAt(world, target, forMs),
    type: async (target, forMs, mayAct) => (await terminals()).typeAt(world, target, { forMs, mayAct }),
  };
}

function terminals() {
  return import("./terminals.ts");
}
