/** Codex. */

import type { Harness } from "../contract.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { inbox } from "./inbox.ts";
import { prove } from "./prove.ts";
import { setup } from "./setup.ts";
import { transcript } from "./transcript.ts";

export const codex: Harness = {
  ...identity,
  title: "Codex",
  mcpClient: "codex-mcp-client",
  mcpWaitMs: 280_000,
  hooks,
  setup,
  transcript,
  prove,
  inbox,
  /** Its title is the project. Before it stands a spinner, or that Codex needs its user. */
  composer: () => ({
    margin: 2,
    prompt: /^› $/,
    below: /^$/,
    idleTitle: /^[\p{L}\p{N}._~/]/u,
    busyTitle: /^[⠀-⣿]/,
    dialogTitle: /Action Required/,
    busySign: /\besc to interrupt\b/,
  }),
};
