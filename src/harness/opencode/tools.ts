/** The tools with which it changes files. */
import type { WritingTools } from "../hook-dialect.ts";

/** Its models of one maker edit by patches. The plugin calls the hook for these tools alone. */
export const WRITING_TOOLS: WritingTools = {
  edits: { write: "filePath", edit: "filePath" },
  shells: ["bash"],
  patches: { apply_patch: "patchText", patch: "patchText" },
};
