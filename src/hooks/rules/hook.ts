/**
 * A hook: a harness reports an event of a session, and may get a text in return. The differences between harnesses
 * stay in their dialects (src/harness/hook-dialect.ts); the rules know only this.
 */
import type { TurnSign } from "../../mail/rules/show.ts";

export const HOOK_EVENTS = [
  "session-start",
  "prompt",
  "pre-tool",
  "post-tool",
  // The agent is about to use a tool of ours. This hook always starts a program, to learn whether a subagent uses it.
  "own-tool",
  // Before and after the tool that runs a subagent, if nothing else tells the subagent's tools from its parent's.
  "subagent-start",
  "subagent-end",
  "stop",
  // The turn ended without an answer: its user stopped it, or a request failed.
  "turn-broken",
  "wake",
  "session-end",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

export interface HookCall {
  readonly harness: string;
  readonly event: HookEvent;
  readonly sessionId: string;
  readonly transcriptPath: string | null;
  /** Where the session works now. */
  readonly cwd: string | null;
  /** Why a session starts: `startup`, `resume`, `clear` or `compact`. */
  readonly source: string | null;
  /** Why a session ends. After `clear` and `resume`, another session begins in the same process. */
  readonly reason: string | null;
  /**
   * The hook is about a subagent, which shares its parent's session. A subagent is shown nothing, and its end ends
   * nothing.
   */
  readonly isSubagent: boolean;
  /** The id of the use of our tool that the hook is about, if the harness tells our server the same id. */
  readonly toolUse?: string;
  /** What the hook tells about the turn. It settles the mail that was shown before. */
  readonly sign: TurnSign;
  /** The turn goes on because a hook asked for that already. */
  readonly stopHookActive: boolean;
  /** The process of ours inside the harness that can begin a turn of the session, if there is one. */
  readonly wakerPid?: number;
  /** The harness may give a session another id without telling us. One process of it has one session at a time. */
  readonly mayRotate?: boolean;
  /** The text of this hook begins a prompt, and the mail is shown with that prompt. */
  readonly mailFollows?: boolean;
  /** Who called the script of the hook, and which one, in a word that the script compares. */
  readonly calledBy?: string;
  /** How many characters of this hook's text the harness shows its model; 0 if none. */
  readonly maxCharacters: number;
}

/** The text for the model. */
export interface HookReply {
  /** Added to what the model reads next. */
  readonly context?: string;
  /** The turn must not end yet, or a new one begin, for this reason; only for `stop` and `wake`. */
  readonly goOn?: string;
}
