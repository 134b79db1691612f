/**
 * What an agent is to be told at its next hook, each thing once. Losing one costs only that the agent is not told.
 * Only facts are kept and no sentence: an agent in a sandbox may write in the data directory, and it must not be able to
 * speak to another agent in our words. The sentence is made when it is shown, of what the store says then.
 */
import type { AgentId, RoomId } from "../../core/ids.ts";

export const ADVICE_KINDS = [
  /** The agent was about to write without the stick. */
  "write",
  /** The log has a `foreign_write` of the agent, or one in its turn. */
  "foreign_write",
] as const;

export interface AdviceFacts {
  readonly kind: (typeof ADVICE_KINDS)[number];
  readonly roomId: RoomId;
  /** For `write` the turn; for `foreign_write` the position of the event in the log. */
  readonly at: number;
}

export interface Advice {
  /** `about` names the thing; if the agent was given advice about it before, nothing is given. False then. */
  give(agentId: AgentId, about: string, facts: AdviceFacts): boolean;
  /** What waits for the agent. Another program may have written it. */
  waiting(agentId: AgentId): readonly AdviceFacts[];
  /** These have been shown, or have no meaning any more. */
  shown(agentId: AgentId, facts: readonly AdviceFacts[]): void;
}
