/** Every way to wake a session from outside, put together from what each harness offers and from tmux. */
import type { Composer } from "../domain/wake/composer.ts";
import type { WakeMode } from "../domain/wake/wake-status.ts";
import type { Waking } from "../ports/wake.ts";
import { trace } from "../system/trace.ts";
import { claudeCodeComposer } from "./claude-code/composer.ts";
import { claudeCodeInbox } from "./claude-code/wake.ts";
import { codexComposer } from "./codex/composer.ts";
import { codexInbox } from "./codex/wake.ts";
import { geminiComposer } from "./gemini/composer.ts";
import type { HarnessInbox, InboxWorld } from "./inbox.ts";
import { opencodeComposer } from "./opencode/composer.ts";
import { terminalObstacle, typeIntoTerminal } from "./terminal-wake.ts";

/** Gemini has none. OpenCode's is used by our plugin, from inside. */
const INBOXES: Readonly<Record<string, HarnessInbox>> = { claude: claudeCodeInbox, codex: codexInbox };

const COMPOSERS: Readonly<Record<string, Composer>> = {
  claude: claudeCodeComposer,
  codex: codexComposer,
  gemini: geminiComposer,
  opencode: opencodeComposer,
};

export interface WakingOptions extends InboxWorld {
  readonly mode: WakeMode;
}

export function createWaking(world: WakingOptions): Waking {
  const { mode, env } = world;
  return {
    mode,
    hasInbox: (target) => INBOXES[target.harness]?.find(target, world) !== null && target.harness in INBOXES,
    push: async (target, forMs) => (await INBOXES[target.harness]?.find(target, world)?.(forMs)) ?? "no_target",
    obstacle: (target) => terminalObstacle(world, target, COMPOSERS[target.harness]),
    type: (target, forMs) => typeIntoTerminal(world, target, COMPOSERS[target.harness], forMs),
    note: (record) => trace(env, "wake", record),
  };
}
