/** Claude Code. */

import { wallTime } from "../../core/time.ts";
import type { ActivityState, SeenActivity } from "../../session/rules/session.ts";
import type { Harness, HarnessWorld, LivePeer } from "../contract.ts";
import { hooks } from "./hooks.ts";
import { identity, readSession } from "./identity.ts";
import { inbox } from "./inbox.ts";
import { prove } from "./prove.ts";
import { setup } from "./setup.ts";
import { transcript } from "./transcript.ts";

export const claudeCode: Harness = {
  ...identity,
  title: "Claude Code",
  mcpClient: "claude-code",
  // Its terminal moves a call to the background after two minutes.
  mcpWaitMs: 110_000,
  guideFile: "CLAUDE.md",
  hooks,
  setup,
  transcript,
  prove,
  activity,
  inbox,
  /** Its title says busy or not. Only its session file and its screen say that it waits for a permission. */
  composer: () => ({
    margin: 2,
    prompt: /^[❯>][\s\u00a0]$/,
    above: /^─{3}/,
    below: /^─{3}/,
    idleTitle: /^✳/,
    busyTitle: /^[◐◑◒◓⠀-⣿]/,
    busySign: /\besc to interrupt\b/,
  }),
};

/**
 * Waiting is the middle of a turn: for a permission, for an answer, or for the end of a dialog. A shell in the background is
 * not one.
 */
const STATES: Readonly<Record<string, ActivityState>> = { busy: "busy", waiting: "busy", idle: "idle", shell: "idle" };

function activity(peer: LivePeer, world: HarnessWorld): SeenActivity | null {
  const session = readSession(peer, world);
  const { status, statusUpdatedAt } = session ?? {};
  const state = STATES[String(status)];
  if (state === undefined) return null;
  const since = Number.isSafeInteger(statusUpdatedAt) ? wallTime(statusUpdatedAt as number) : null;
  return { state, since, ...(status === "waiting" && { asksUser: true as const }) };
}
