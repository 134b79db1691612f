import { fileNameFor } from "../../domain/file-name.ts";
import type { AgentId } from "../../domain/ids.ts";

/** The bell of one agent alone. */
export function bellFileName(agentId: AgentId): string {
  return fileNameFor("agent", agentId);
}
