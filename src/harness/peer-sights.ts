/** What can be seen of other sessions on this machine, put together from their harnesses' files and from tmux. */
import { isSessionId, type Variables } from "../core/harness.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { PeerSights, TranscriptRequest, Unseen, Whereabouts } from "../engine/ports/peer-sights.ts";
import type { ProcessProbe } from "../engine/ports/process-probe.ts";
import type { TranscriptTail } from "../peers/rules/transcript.ts";
import { readSessionFile } from "../platform/agents/session-file.ts";
import { isRegularFile } from "../platform/files/list-names.ts";
import { createProcessSights } from "../platform/process/process-sights.ts";
import { capturePane, tmuxPanes } from "../platform/terminal/tmux-panes.ts";
import { activityInSessionFile } from "./claude-code/activity.ts";
import { claudeCode } from "./claude-code/identity.ts";
import { claudeCodeTranscript } from "./claude-code/transcript.ts";
import { codexTranscript } from "./codex/transcript.ts";
import { paneAbove } from "./find-pane.ts";
import { activityInTranscript } from "./gemini/activity.ts";
import { gemini } from "./gemini/identity.ts";
import { geminiTranscript } from "./gemini/transcript.ts";
import { readOpencode } from "./opencode/read-opencode.ts";
import { type OpenOpencodeDatabase, opencodeTranscript } from "./opencode/transcript.ts";
import { readJsonLines } from "./read-json-lines.ts";
import type { HarnessTranscript } from "./transcript.ts";

const TRANSCRIPTS: Readonly<Record<string, HarnessTranscript>> = {
  claude: claudeCodeTranscript,
  codex: codexTranscript,
  gemini: geminiTranscript,
  opencode: opencodeTranscript,
};

export interface PeerSightsOptions {
  readonly env: Variables;
  readonly home: string | null;
  readonly clock: Clock;
  readonly probe: ProcessProbe;
  readonly openOpencode: OpenOpencodeDatabase;
}

export function createPeerSights(options: PeerSightsOptions): PeerSights {
  return {
    activity: (peer) => activityOf(options, peer),
    transcriptPath: (peer) => findTranscript(options, peer),
    transcript: (peer, request) => readTranscript(options, peer, request),
    pane: (peer, lines) => readPane(options, peer, lines),
    paneCalled,
  };
}

/** Claude Code keeps it in a file, and Gemini CLI tells in its transcript when a turn was stopped; of the rest hooks tell. */
function activityOf(options: PeerSightsOptions, peer: Whereabouts) {
  const { env, home, probe } = options;
  const { harness, process, sessionId, activity } = peer;
  if (harness === gemini.name && activity?.state === "busy" && process && probe.verdict(process) === "alive") {
    const path = findTranscript(options, peer);
    return path === null ? null : activityInTranscript(path, activity);
  }
  if (harness !== claudeCode.name || home === null || !process || probe.verdict(process) !== "alive") return null;
  const text = readSessionFile(claudeCode, process.pid, env, home);
  return text === null ? null : activityInSessionFile(text, process.pid, sessionId);
}

function findTranscript({ env, home }: PeerSightsOptions, peer: Whereabouts): string | null {
  const { harness, sessionId, cwd, transcriptPath } = peer;
  if (transcriptPath !== null && isRegularFile(transcriptPath)) return transcriptPath;
  const transcript = TRANSCRIPTS[harness];
  if (!transcript || home === null || !isSessionId(sessionId)) return null;
  return transcript.find({ sessionId, cwd, env, home });
}

async function readTranscript(
  options: PeerSightsOptions,
  peer: Whereabouts,
  request: TranscriptRequest,
): Promise<TranscriptTail | Unseen> {
  const { harness, sessionId } = peer;
  const transcript = TRANSCRIPTS[harness];
  if (!transcript) return unseen(`Nothing is known about transcripts of ${harness}.`);
  if (sessionId === null) return unseen("Its session id is not known yet, so its transcript cannot be found.");
  const path = findTranscript(options, peer);
  if (path === null) return unseen(goneText(peer));
  if (transcript.parse) return readJsonLines(path, transcript.parse, request);
  return readDatabase(options, { path, sessionId }, request);
}

function goneText({ harness, transcriptPath }: Whereabouts): string {
  if (transcriptPath === null) return `There is no transcript where ${harness} would keep it.`;
  return `The transcript ${transcriptPath} is not there any more.`;
}

async function readDatabase(
  { openOpencode, clock }: PeerSightsOptions,
  { path, sessionId }: { readonly path: string; readonly sessionId: string },
  request: TranscriptRequest,
): Promise<TranscriptTail | Unseen> {
  try {
    const database = openOpencode(path);
    try {
      return await readOpencode(database, { path, sessionId, nowMs: clock.now().wallMs }, request);
    } finally {
      database.close();
    }
  } catch (error) {
    // Another program's database may be locked, damaged, or of a version that is not known.
    const reason = error instanceof Error ? error.message : String(error);
    return unseen(`The database ${path} cannot be read: ${reason}.`);
  }
}

function readPane({ probe }: PeerSightsOptions, { process }: Whereabouts, lines: number) {
  if (!process) return unseen("No process stands for that session alone, so no pane can be proven to be its own.");
  if (probe.verdict(process) !== "alive") return unseen("Its process is not running here.");
  const pane = paneAbove(process.pid, createProcessSights(probe.self()), tmuxPanes());
  const text = pane === null ? null : capturePane(pane, lines);
  if (pane === null || text === null) return unseen("Its process runs in no pane of your tmux server.");
  return { pane, text };
}

function paneCalled(name: string, lines: number) {
  const named = tmuxPanes().find(({ pane, names }) => pane === name || names.includes(name));
  const text = named ? capturePane(named.pane, lines) : null;
  return named && text !== null ? { pane: named.pane, text } : null;
}

function unseen(reason: string): Unseen {
  return { unseen: reason, next: "Ask the peer itself, or read its state card." };
}
