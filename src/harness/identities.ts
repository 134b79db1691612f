import type { HarnessIdentity } from "../core/harness.ts";
import { claudeCode } from "./claude-code/identity.ts";
import { codex } from "./codex/identity.ts";
import { gemini } from "./gemini/identity.ts";
import { opencode } from "./opencode/identity.ts";

/** Every harness that is known by evidence. */
export const HARNESSES: readonly HarnessIdentity[] = [claudeCode, codex, gemini, opencode];
