/** What the hooks' use cases have in common. */

import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import type { AgentMemory } from "../engine/ports/agent-memory.ts";
import type { MailFlags } from "../engine/ports/mail-flags.ts";
import type { RetiredSessions } from "../engine/ports/retired-sessions.ts";
import type { SessionCards } from "../engine/ports/session-cards.ts";
import type { SessionClaims } from "../engine/ports/session-claims.ts";
import type { SubagentMarks } from "../engine/ports/subagent-marks.ts";
import type { Place } from "../engine/ports/workspace.ts";
import type { WakeMode } from "../mail/rules/wake-status.ts";
import type { SessionNews } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { HookCall, HookReply } from "./rules/hook.ts";

export interface HookDeps extends Deps {
  readonly flags: MailFlags;
  readonly cards: SessionCards;
  readonly claims: Pick<SessionClaims, "read">;
  readonly retired: RetiredSessions;
  readonly subagents: SubagentMarks;
  /** Leaves a sign of life, as the hook script does at a tool. If that fails, the next hook tries again. */
  readonly leaveSign: (sessionId: string) => void;
  /** How long the hook may still take. */
  readonly leftMs: () => number;
  readonly memory: Pick<AgentMemory, "recallReminder" | "rememberReminder" | "recallLosses" | "rememberLosses">;
  readonly wakeMode: WakeMode;
  /** What the guard has to say. */
  readonly adviceNews: (deps: HookDeps, caller: Caller, call: HookCall) => Promise<News>;
  /** Whether a person or agent has marked the workspace as one that uses the stick. */
  readonly isMarked: (workspaceRoot: string) => boolean;
}

export interface HookOutcome extends HookReply {
  /** Mail waits that was not shown, because the hook's time was almost over. */
  readonly late?: boolean;
  /** The hook has looked everywhere, found nothing to do, and written the session's row. */
  readonly foundNothing?: boolean;
  /** Runs after the text has left this process. If that never happens, nothing is acknowledged. */
  readonly afterFlush?: () => Promise<void>;
}

/** Something to say besides the mail. */
export interface News {
  /** Empty when there is nothing to say. */
  readonly text: string;
  /** For when it has been said. */
  readonly remember: () => Promise<void> | void;
}

export type HookUseCase = (deps: HookDeps, caller: Caller, call: HookCall) => Promise<HookOutcome>;

export const SILENCE: HookOutcome = {};

/** What a hook by itself shows of a session: it has hooks, and who is there to wake it. */
export function hookedNews({ probe }: Deps, { wakerPid }: HookCall): SessionNews {
  return { hooked: true, ...(wakerPid !== undefined && { waker: probe.find(wakerPid) }) };
}

/** Where the session works; null when that cannot be told, as when its directory has vanished. */
export async function placeOf({ workspace }: Deps, { cwd }: HookCall): Promise<Place | null> {
  const place = cwd === null ? null : await workspace.locate(cwd);
  return place === null || isRefusal(place) ? null : place;
}
