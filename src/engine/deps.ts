/** What every use case is given: the ports, and the settings that new rooms are made with. */

import type { Policy } from "../core/policy.ts";
import type { WokenReceipt } from "../mail/rules/wake-status.ts";
import type { TmuxSessions } from "../room/rules/recipient.ts";
import type { AfterCommit, AfterLostHolder, AfterMail, BeforeGrant, BeforeMove } from "./around-commit.ts";
import type { HostPresence } from "./host-presence.ts";
import type { ActivityLog, QuietMarks } from "./ports/activity.ts";
import type { AgentTraces } from "./ports/agent-traces.ts";
import type { Bell } from "./ports/bell.ts";
import type { Clock } from "./ports/clock.ts";
import type { MailFlags } from "./ports/mail-flags.ts";
import type { PeerSights } from "./ports/peer-sights.ts";
import type { ProcessProbe } from "./ports/process-probe.ts";
import type { Randomness } from "./ports/randomness.ts";
import type { RetiredSessions } from "./ports/retired-sessions.ts";
import type { SessionCards } from "./ports/session-cards.ts";
import type { Store } from "./ports/store.ts";
import type { Trace } from "./ports/trace.ts";
import type { SentMessage, Waking } from "./ports/wake.ts";
import type { TurnRecord, WorkingTree } from "./ports/working-tree.ts";
import type { Workspace } from "./ports/workspace.ts";
import type { WriteAttempts } from "./ports/write-attempts.ts";

export interface Deps {
  readonly store: Store;
  readonly bell: Bell;
  readonly clock: Clock;
  readonly probe: ProcessProbe;
  readonly random: Randomness;
  readonly activity: ActivityLog;
  readonly workingTree: WorkingTree;
  readonly workspace: Workspace;
  /** The machine that rooms made here belong to. */
  readonly host: string;
  readonly policy: Policy;
  /** Lets other machines know of this one, and knows of them; absent where one machine alone uses the store. */
  readonly hosts?: HostPresence;
  /** A short text that differs when the long one does. */
  readonly digest: (text: string) => string;
  /** The tmux session that each pane belongs to; empty where there is no tmux. */
  readonly tmuxSessions: () => TmuxSessions;
  /** Tells the hooks of sessions on this machine that there may be mail; without it they look at the next prompt. */
  readonly flags?: MailFlags;
  /** Lets the shell of hooks answer for sessions that have nothing to do; without it their program always looks. */
  readonly quiet?: QuietMarks;
  /** In which processes a session lives; without it only the one that its room knows counts. */
  readonly cards?: Pick<SessionCards, "processesOf">;
  /** Which sessions of this machine are over; without it none is. */
  readonly retired?: RetiredSessions;
  /** What agents left in the data directory; without it nothing of it is ever removed. */
  readonly traces?: AgentTraces;
  /** What can be seen of other sessions from outside; without it nothing can. */
  readonly sights?: PeerSights;
  /** The log of what happens to mail; without it nothing is logged. */
  readonly trace?: Trace;
  /** Ways to wake other sessions; without it there are none. */
  readonly waking?: Waking;
  /** Wakes the recipients of a message; without it nobody is woken. */
  readonly wakeRecipients?: (deps: Deps, message: SentMessage) => Promise<readonly WokenReceipt[]>;
  /** Keeps the working tree at the ends of turns. Loaded on demand; without it nothing is kept. */
  readonly turnRecord?: () => Promise<TurnRecord>;
  /** Writes without the stick that were let through; without it they go unnoticed. */
  readonly attempts?: WriteAttempts;
  readonly beforeGrant?: readonly BeforeGrant[];
  readonly beforeMove?: readonly BeforeMove[];
  readonly afterCommit?: readonly AfterCommit[];
  readonly afterMail?: readonly AfterMail[];
  readonly afterLostHolder?: readonly AfterLostHolder[];
}
