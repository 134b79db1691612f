/** Gemini CLI. It offers no inbox: outside of its terminal nothing can begin a turn. */

import type { Harness } from "../contract.ts";
import { findTranscript } from "../transcript.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { stoppedTurn } from "./last-turn.ts";
import { prove } from "./prove.ts";
import { setup } from "./setup.ts";
import { transcript } from "./transcript.ts";

export const gemini: Harness = {
  ...identity,
  title: "Gemini CLI",
  mcpClient: "gemini-cli-mcp-client",
  mcpWaitMs: 580_000,
  hooks,
  setup,
  transcript,
  prove,
  activity(peer, world) {
    const { activity: told } = peer;
    if (told?.state !== "busy" || told.since === null) return null;
    const path = findTranscript(transcript, peer, world);
    return path === null ? null : stoppedTurn(path, told.since);
  },
  composer: () => ({
    margin: 3,
    prompt: /^ [>*] $/,
    hint: /^Type your message/,
    below: /^[▀\s]*$/,
    idleTitle: /^◇/,
    busyTitle: /^✦/,
    dialogTitle: /^✋/,
    busySign: /\(esc to cancel\b/,
  }),
};
