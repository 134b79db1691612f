/** Every way to wake a session from outside, put together from what each harness offers and from tmux. */
import type { Composer } from "../domain/wake/composer.ts";
import type { WakeMode } from "../domain/wake/wake-status.ts";
import type { WakeTarget, Waking } from "../ports/wake.ts";
import { shownSessionId } from "../system/session-file.ts";
import { claudeCodeComposer } from "./claude-code/composer.ts";
import { claudeCodeInbox } from "./claude-code/wake.ts";
import { codexComposer } from "./codex/composer.ts";
import { codexInbox } from "./codex/wake.ts";
import { geminiComposer } from "./gemini/composer.ts";
import { HARNESSES } from "./identities.ts";
import type { HarnessInbox, InboxWorld } from "./inbox.ts";
import { opencodeComposer } from "./opencode/composer.ts";
import { terminalObstacle, typeIntoTerminal } from "./terminal-wake.ts";

/** Gemini has none. OpenCode's is used by our plugin, from inside. */
const INBOXES: Readonly<Record<string, HarnessInbox>> = { claude: claudeCodeInbox, codex: codexInbox };

/** Made when one is asked for: their patterns are slow to make, and most commands wake nobody. */
const COMPOSERS: Readonly<Record<string, () => Composer>> = {
  claude: claudeCodeComposer,
  codex: codexComposer,
  gemini: geminiComposer,
  opencode: opencodeComposer,
};

export interface WakingOptions extends InboxWorld {
  readonly mode: WakeMode;
}

export function createWaking(world: WakingOptions): Waking {
  return {
    mode: world.mode,
    hasInbox: (target) => INBOXES[target.harness]?.find(target, world) !== null && target.harness in INBOXES,
    push: async (target, forMs) => (await INBOXES[target.harness]?.find(target, world)?.(forMs)) ?? "no_target",
    obstacle: (target, forMs) => terminalObstacle(world, target, composerOf(world, target), forMs),
    type: (target, forMs, mayAct) => typeIntoTerminal(world, target, composerOf(world, target), { forMs, mayAct }),
  };
}

/** None for a session that is over: where its harness says which one its process shows now, that must be it. */
function composerOf({ env, home }: WakingOptions, { harness, process, sessionId }: WakeTarget): Composer | undefined {
  const known = HARNESSES.find(({ name }) => name === harness);
  const shown = known && process ? shownSessionId(known, process.pid, env, home) : null;
  const isOver = shown !== null && sessionId !== null && shown !== sessionId;
  return isOver ? undefined : COMPOSERS[harness]?.();
}
