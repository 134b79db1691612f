import { fileNameFor } from "../../core/file-name.ts";
import type { AgentId } from "../../core/ids.ts";

/** The bell of one agent alone. */
export function bellFileName(agentId: AgentId): string {
  return fileNameFor("agent", agentId);
}
