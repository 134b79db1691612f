/** What can be seen of a session on this machine from outside: its harness's own files, and its terminal. */
import type { ProcessRef } from "../../core/process.ts";
import type { TranscriptTail } from "../../peers/rules/transcript.ts";
import type { Activity, SeenActivity } from "../../session/rules/session.ts";

/** Where to look for a session. */
export interface Whereabouts {
  readonly harness: string;
  readonly sessionId: string | null;
  readonly process: ProcessRef | null;
  readonly cwd: string | null;
  /** As a hook told it; otherwise the harness's own rule says where its transcript lies. */
  readonly transcriptPath: string | null;
  /** What hooks told of it last. */
  readonly activity?: Activity;
}

/** Why nothing can be shown, as a sentence, and what to do about it. */
export interface Unseen {
  readonly unseen: string;
  readonly next: string;
}

export interface TranscriptRequest {
  readonly limit: number;
  readonly maxBytes: number;
  /** Only as much of the end as is needed; otherwise the whole file is read, to count what is in it. */
  readonly tailOnly: boolean;
}

export interface PaneText {
  readonly pane: string;
  /** At least as many lines as were asked for, if there are; the last ones are the newest. */
  readonly text: string;
}

/** A pane that was found by its name. */
export interface NamedPane extends PaneText {
  /** The directory that it works in; null when that is not known. */
  readonly directory: string | null;
}

export interface PeerSights {
  /** What its harness itself says it is doing; null when it says nothing. */
  activity(peer: Whereabouts): SeenActivity | null;
  transcriptPath(peer: Whereabouts): string | null;
  /** However long it is, others have their turn meanwhile. */
  transcript(peer: Whereabouts, request: TranscriptRequest): Promise<TranscriptTail | Unseen>;
  /** The pane must be proven to be the session's own: its process runs below the pane's. */
  pane(peer: Whereabouts, lines: number): PaneText | Unseen;
  /** The pane, or the active pane of the tmux session, that has exactly this name on this user's server. */
  paneCalled(name: string, lines: number): NamedPane | null;
}
