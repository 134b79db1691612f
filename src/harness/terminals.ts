/** The terminals of all harnesses' sessions. */

import type { WakeTarget } from "../engine/ports/wake.ts";
import { shownSessionId } from "../platform/agents/session-file.ts";
import type { Composer } from "../wake/rules/composer.ts";
import { claudeCodeComposer } from "./claude-code/composer.ts";
import { codexComposer } from "./codex/composer.ts";
import { geminiComposer } from "./gemini/composer.ts";
import { HARNESSES } from "./identities.ts";
import type { InboxWorld } from "./inbox.ts";
import { opencodeComposer } from "./opencode/composer.ts";
import { terminalObstacle, typeIntoTerminal } from "./terminal-wake.ts";

/** Made when one is asked for: their patterns are slow to make. */
const COMPOSERS: Readonly<Record<string, () => Composer>> = {
  claude: claudeCodeComposer,
  codex: codexComposer,
  gemini: geminiComposer,
  opencode: opencodeComposer,
};

export function obstacleAt(world: InboxWorld, target: WakeTarget, forMs: number) {
  return terminalObstacle(world, target, composerOf(world, target), forMs);
}

export function typeAt(
  world: InboxWorld,
  target: WakeTarget,
  typing: { readonly forMs: number; readonly mayAct: () => Promise<boolean> },
) {
  return typeIntoTerminal(world, target, composerOf(world, target), typing);
}

/** None for a session that is over: where its harness says which one its process shows now, that must be it. */
function composerOf({ env, home }: InboxWorld, { harness, process, sessionId }: WakeTarget): Composer | undefined {
  const known = HARNESSES.find(({ name }) => name === harness);
  const shown = known && process ? shownSessionId(known, process.pid, env, home) : null;
  const isOver = shown !== null && sessionId !== null && shown !== sessionId;
  return isOver ? undefined : COMPOSERS[harness]?.();
}
