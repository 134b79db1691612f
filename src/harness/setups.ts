import type { HarnessSetup } from "../install/rules/harness-setup.ts";
import { claudeCodeSetup } from "./claude-code/install.ts";
import { codexSetup } from "./codex/install.ts";
import { geminiSetup } from "./gemini/install.ts";
import { opencodeSetup } from "./opencode/install.ts";

/** Every harness that can be set up, in the order in which it is told. */
export const SETUPS: readonly HarnessSetup[] = [claudeCodeSetup, codexSetup, geminiSetup, opencodeSetup];
