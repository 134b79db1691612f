/**
 * Where a harness does not say whose tool a hook is about, it is known from the tool that runs subagents: between its
 * beginning and its end every other tool is a subagent's. Several may be at work at once.
 */
export interface SubagentMarks {
  began(sessionId: string): void;
  ended(sessionId: string): void;
  areAtWork(sessionId: string): boolean;
  /** None is at work any more, whatever was missed. */
  forget(sessionId: string): void;
  /** A hook has told that a subagent uses a tool of ours. */
  uses(toolUse: string): void;
  /** Whether that was told of this use. Asked once. */
  wasUse(toolUse: string): boolean;
}
