/**
 * Some harnesses do not say which agent's tool a hook is about. There, the tool that runs subagents tells: between its
 * beginning and its end every other tool is a subagent's. Several may be at work at once.
 */
export interface SubagentMarks {
  began(sessionId: string): void;
  ended(sessionId: string): void;
  areAtWork(sessionId: string): boolean;
  /** No subagent is at work any more, even if an end was missed. */
  forget(sessionId: string): void;
  /** A hook has told that a subagent uses a tool of ours. */
  uses(toolUse: string): void;
  /** Whether a hook reported this use. Called once. */
  wasUse(toolUse: string): boolean;
}
