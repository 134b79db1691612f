/** One line for each harness. Without its line and its folder, a harness is gone. */
export { claudeCode } from "./claude-code/index.ts";
export { codex } from "./codex/index.ts";
export { gemini } from "./gemini/index.ts";
export { opencode } from "./opencode/index.ts";
