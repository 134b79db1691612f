/** OpenCode. Its inbox is used by our plugin, from inside. */

import type { Harness } from "../contract.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { prove } from "./prove.ts";
import { setup } from "./setup.ts";
import { transcript } from "./transcript.ts";

export const opencode: Harness = {
  ...identity,
  title: "OpenCode",
  mcpClient: "opencode",
  mcpWaitMs: 50_000,
  hooks,
  setup,
  transcript,
  prove,
  /** Its title has no state. Before the first prompt of a session the composer stands elsewhere, and is left alone. */
  composer: () => ({
    margin: 5,
    prompt: /^ {2}┃ {2}$/,
    above: /^ {2}┃$/,
    below: /^ {2}┃$/,
    idleTitle: /^OC \| /,
    busySign: /\besc\s+(interrupt|again to interrupt)\b/,
  }),
};
