/**
 * A hook: a harness tells of something that happens in a session, and may be told something in return. What differs
 * between harnesses is left behind in their dialects (src/harness/hook-dialect.ts); the rules know only this.
 */
import type { TurnSign } from "../../mail/rules/show.ts";

export const HOOK_EVENTS = [
  "session-start",
  "prompt",
  "pre-tool",
  "post-tool",
  // A tool of ours is about to be used. It always starts a program, where only that tells whose use it is.
  "own-tool",
  // The tool that runs a subagent, where nothing else tells its tools from its parent's: before it, and after it.
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
  /** Why a session ends: `clear` and `resume` are followed by another one of the same process. */
  readonly reason: string | null;
  /** It is about a subagent, which shares its parent's session: nothing is shown to it and nothing ends with it. */
  readonly isSubagent: boolean;
  /** The use of a tool of ours that it is about, where the harness tells the same to our server. */
  readonly toolUse?: string;
  /** What it tells of the turn, which settles the mail that was shown before. */
  readonly sign: TurnSign;
  /** The turn goes on because a hook asked for that already. */
  readonly stopHookActive: boolean;
  /** The process inside the harness that can begin a turn of the session; only where we have one there. */
  readonly wakerPid?: number;
  /** Its harness may give a session another id without telling so. A process of it is one session at a time. */
  readonly mayRotate?: boolean;
  /** What is said here begins a prompt, and the mail is shown with that. */
  readonly mailFollows?: boolean;
  /** How much the harness shows its model of what this event's hook says; 0 where it shows nothing. */
  readonly maxCharacters: number;
}

/** What the model is told. */
export interface HookReply {
  /** Added to what the model reads next. */
  readonly context?: string;
  /** The turn must not end yet, or a new one begin, for this reason; only for `stop` and `wake`. */
  readonly goOn?: string;
}
