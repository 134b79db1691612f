import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const DRIVERS = { claude, codex, gemini, opencode } as const;
