/** What can be seen of other sessions on this machine, put together from their harnesses' files and from tmux. */

import { wallMsOf, wallTime } from "../core/time.ts";
import type { PeerSights, TranscriptRequest, Unseen, Whereabouts } from "../engine/ports/peer-sights.ts";
import type { TranscriptTail } from "../peers/rules/transcript.ts";
import { isRegularFile } from "../platform/files/list-names.ts";
import { createProcessSights } from "../platform/process/process-sights.ts";
import { capturePane, paneAbove, paneDirectory, tmuxPanes } from "../platform/terminal/tmux-panes.ts";
import type { Activity } from "../session/rules/session.ts";
import type { SightsWorld } from "./contract.ts";
import { harnessNamed } from "./harnesses.ts";
import { findTranscript, unseen } from "./transcript.ts";

export function createPeerSights(world: SightsWorld): PeerSights {
  return {
    activity(peer) {
      const { process } = peer;
      const harness = harnessNamed(peer.harness);
      if (!harness?.activity || !process || world.probe.verdict(process) !== "alive") return null;
      const { aheadMs = 0 } = world.clock;
      const activity = peer.activity && movedBy(-aheadMs, peer.activity);
      const seen = harness.activity({ ...peer, ...(activity && { activity }), process }, world);
      return seen && movedBy(aheadMs, seen);
    },
    transcriptPath: (peer) => transcriptPathOf(world, peer),
    transcript: (peer, request) => readTranscript(world, peer, request),
    pane: (peer, lines) => readPane(world, peer, lines),
    paneCalled,
  };
}

/** Transcripts are dated by this machine's own clock. */
function movedBy<Told extends Activity>(ms: number, told: Told): Told {
  return ms === 0 || told.since === null ? told : { ...told, since: wallTime(wallMsOf(told.since) + ms) };
}

/** A path that a hook reported counts for every harness, known or not. */
function transcriptPathOf(world: SightsWorld, peer: Whereabouts): string | null {
  const harness = harnessNamed(peer.harness);
  if (harness) return findTranscript(harness.transcript, peer, world);
  return peer.transcriptPath !== null && isRegularFile(peer.transcriptPath) ? peer.transcriptPath : null;
}

async function readTranscript(
  world: SightsWorld,
  peer: Whereabouts,
  request: TranscriptRequest,
): Promise<TranscriptTail | Unseen> {
  const { sessionId } = peer;
  const transcript = harnessNamed(peer.harness)?.transcript;
  if (!transcript) return unseen(`tt cannot read transcripts of ${peer.harness}.`);
  if (sessionId === null) return unseen("Its session id is not known yet, so its transcript cannot be found.");
  const path = findTranscript(transcript, peer, world);
  return path === null ? unseen(goneText(peer)) : transcript.read({ path, sessionId }, request, world);
}

function goneText({ harness, transcriptPath }: Whereabouts): string {
  if (transcriptPath === null) return `There is no transcript in the place where ${harness} keeps it.`;
  return `The transcript ${transcriptPath} is not there any more.`;
}

function readPane({ probe }: SightsWorld, { process }: Whereabouts, lines: number) {
  if (!process) return unseen("That session has no process of its own, so no pane can be proven to be its own.");
  if (probe.verdict(process) !== "alive") return unseen("Its process is not running here.");
  const pane = paneAbove(process.pid, createProcessSights(probe.self()), tmuxPanes());
  const text = pane === null ? null : capturePane(pane, lines);
  if (pane === null || text === null) return unseen("Its process runs in no pane of your tmux server.");
  return { pane, text };
}

function paneCalled(name: string, lines: number) {
  const named = tmuxPanes().find(({ pane, names }) => pane === name || names.includes(name));
  const directory = named ? paneDirectory(named.pane) : null;
  const text = named ? capturePane(named.pane, lines) : null;
  return named && text !== null ? { pane: named.pane, directory, text } : null;
}
