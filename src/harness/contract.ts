/**
 * The contract of a harness: everything that Talking Stick has to know about one. A folder of `src/harness` exports one
 * object of this shape, and `registry.ts` names it in one line. `docs/adding-a-harness.md` says how to add one.
 */

import type { HarnessIdentity, Variables } from "../core/harness.ts";
import type { ProcessRef } from "../core/process.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { TranscriptRequest, Unseen, Whereabouts } from "../engine/ports/peer-sights.ts";
import type { ProcessProbe } from "../engine/ports/process-probe.ts";
import type { OwnInbox, WakeTarget } from "../engine/ports/wake.ts";
import type { WriteAttempt } from "../guard/rules/attempt.ts";
import type { HookCall, HookEvent, HookReply } from "../hooks/rules/hook.ts";
import type { HarnessSetup } from "../install/rules/harness-setup.ts";
import type { WakeTry } from "../mail/rules/wake-status.ts";
import type { TranscriptTail } from "../peers/rules/transcript.ts";
import type { SeenActivity } from "../session/rules/session.ts";
import type { Composer } from "../wake/rules/composer.ts";
import type { ProofDriver } from "./proof-driver.ts";

/** `HarnessIdentity`: how its processes, commands and calls are recognised. */
export interface Harness extends HarnessIdentity {
  /** Its name for people. */
  readonly title: string;
  readonly mcpClient: string;
  /** How long its MCP client waits for a tool, less a margin for the way back. */
  readonly mcpWaitMs: number;
  /** A file with a project's instructions that this harness reads, besides AGENTS.md. */
  readonly guideFile?: string;
  readonly hooks: HookDialect;
  readonly setup: Omit<HarnessSetup, "name" | "title">;
  readonly transcript: HarnessTranscript;
  /** What the harness itself says about the turn of a session; null if it says nothing. Hooks tell the rest. */
  activity?(peer: LivePeer, world: HarnessWorld): SeenActivity | null;
  /** The inbox that it keeps for its sessions, if programs outside may write there. */
  readonly inbox?: HarnessInbox;
  /**
   * How its terminal looks while it waits for a prompt. It is a function, because its patterns take time to compile.
   */
  readonly composer?: () => Composer;
  /** How `tt doctor --prove` runs it against a scripted model. */
  readonly prove?: ProofDriver;
}

export type HookPayload = Readonly<Record<string, unknown>>;

/**
 * What a harness writes to a hook, and which form of answer it understands. The forms differ between harnesses, and a
 * harness silently ignores a wrong one, so each was verified with the real program.
 */
export interface HookDialect {
  /**
   * The variable from which our shell script reads the session id at the hooks of tools, without the payload. Without
   * it the payload must begin with `{"session_id":"`. `mayRotate`: the harness may change the id without telling so.
   */
  readonly sessionVariable?: { readonly name: string; readonly mayRotate?: boolean };
  /** The field of a payload with the harness's name for the turn, if it has names for turns. */
  readonly turnField?: string;
  /** Null if this harness does not write such a payload. */
  parse(event: HookEvent, payload: HookPayload): HookCall | null;
  /** Adds what only the harness's own files tell. Must not take long. */
  inspect?(call: HookCall): HookCall;
  /** What to print; empty to say nothing. */
  render(event: HookEvent, reply: HookReply): string;
  /** What a tool is about to write, from the payload of the hook before it; null for a tool that the guard lets pass. */
  attemptIn(payload: HookPayload): WriteAttempt | null;
  /** What to print so that the harness refuses the tool and its model reads why. */
  renderDenial(reason: string): string;
}

/** What is needed to look at the files and processes of a harness from outside. */
export interface HarnessWorld {
  readonly env: Variables;
  readonly home: string | null;
  readonly probe: ProcessProbe;
}

export interface SightsWorld extends HarnessWorld {
  readonly clock: Clock;
  /** Opens a database of another program; nothing can be written through it. */
  readonly openDatabase: (file: string) => ReadOnlyDatabase;
}

export interface ReadOnlyDatabase {
  prepare(sql: string): { all(...params: readonly (string | number)[]): readonly Readonly<Record<string, unknown>>[] };
  close(): void;
}

/** A session whose process lives on this machine. */
export type LivePeer = Whereabouts & { readonly process: ProcessRef };

/** Where a session's transcript is looked for. */
export interface TranscriptSearch {
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly env: Variables;
  readonly home: string;
}

export interface TranscriptSource {
  readonly path: string;
  readonly sessionId: string;
}

export type ReadTranscript = (
  source: TranscriptSource,
  request: TranscriptRequest,
  world: SightsWorld,
) => Promise<TranscriptTail | Unseen>;

export interface HarnessTranscript {
  /** By the harness's own rule; null when there is none. */
  find(search: TranscriptSearch): string | null;
  /** For a file of JSON lines, `readJsonLines`. */
  readonly read: ReadTranscript;
}

/** Puts a text into the inbox of one session, within a time. */
export type Push = (text: string, forMs: number) => Promise<WakeTry>;

export interface HarnessInbox {
  /** Null if there is no inbox that this process may use. It only looks and writes nothing. */
  find(target: WakeTarget, world: HarnessWorld): Push | null;
  /** The inbox of the session that runs this process, if the environment names it. */
  own?(env: Variables): OwnInbox | null;
}
