/** The tools with which it changes files. */
import type { WritingTools } from "../hook-dialect.ts";

export const WRITING_TOOLS: WritingTools = {
  edits: { Write: "file_path", Edit: "file_path", MultiEdit: "file_path", NotebookEdit: "notebook_path" },
  shells: ["Bash", "Monitor"],
};
