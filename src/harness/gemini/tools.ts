/** The tools with which it changes files. */
import type { WritingTools } from "../hook-dialect.ts";

export const WRITING_TOOLS: WritingTools = {
  edits: { write_file: "file_path", replace: "file_path" },
  shells: ["run_shell_command"],
};
