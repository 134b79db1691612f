/** The tools with which it changes files. */
import type { WritingTools } from "../hook-dialect.ts";

export const WRITING_TOOLS: WritingTools = { edits: {}, shells: ["Bash"], patches: { apply_patch: "command" } };
