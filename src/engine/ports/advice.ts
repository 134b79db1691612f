/** What an agent is to be told at its next hook, each thing once. Losing one costs only that the agent is not told. */
import type { AgentId } from "../../core/ids.ts";

export interface Advice {
  /** `about` names the thing; a text about it that the agent was given before is not given again. False then. */
  give(agentId: AgentId, about: string, text: string): boolean;
  /** The texts that wait. */
  waiting(agentId: AgentId): readonly string[];
  /** These have been shown. */
  shown(agentId: AgentId, texts: readonly string[]): void;
}
