/** Transcripts of one session that differ in length alone, and the same look at the end of each. */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { createPeerSights } from "../../src/harness/peer-sights.ts";
import { createSystemClock } from "../../src/platform/clock/clock.ts";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import { openReadOnlyDatabase } from "../../src/store/sqlite/driver.ts";
import { nowUs } from "../marks.ts";
import { serve } from "./serve.ts";

const TURNS = 20;
const WRITTEN_BYTES = 1_000_000;
const LOOK = { limit: TURNS, maxBytes: 24_000, tailOnly: true };

const sights = createPeerSights({
  env: {},
  home: null,
  clock: createSystemClock(),
  probe: createProcessProbe({ host: "local" }),
  openDatabase: openReadOnlyDatabase,
});

const transcript = {
  /** The last megabyte is written; what comes before is a hole, which takes no space and reads like any other byte. */
  async build({ path, bytes }: { readonly path: string; readonly bytes: number }): Promise<void> {
    const end = Buffer.from(linesOf(WRITTEN_BYTES));
    const file = openSync(path, "w");
    ftruncateSync(file, Math.max(0, bytes - end.length));
    writeSync(file, end, 0, end.length, Math.max(0, bytes - end.length));
    closeSync(file);
  },

  /** How long each look took, by file. */
  async time({ paths, count }: { readonly paths: readonly string[]; readonly count: number }) {
    const times = paths.map((): number[] => []);
    for (let index = 0; index < count; index += 1) {
      for (const [file, path] of paths.entries()) {
        const startUs = nowUs();
        await look(path);
        times[file]?.push(nowUs() - startUs);
      }
    }
    return times;
  },

  /** The most memory this process has ever had, in KiB, after so many looks. */
  async peak({ path, count }: { readonly path: string; readonly count: number }): Promise<number> {
    for (let index = 0; index < count; index += 1) await look(path);
    return process.resourceUsage().maxRSS;
  },
};

export type TranscriptWorker = typeof transcript;

async function look(path: string): Promise<void> {
  const peer = { harness: "claude", sessionId: "bench", process: null, cwd: null, transcriptPath: path };
  const seen = await sights.transcript(peer, LOOK);
  if ("unseen" in seen || seen.turns.length !== TURNS) throw new Error(`not ${TURNS} turns: ${JSON.stringify(seen)}`);
}

/** Turns with the records between them that a harness writes for itself. */
function linesOf(bytes: number): string {
  const lines: string[] = ["\n"];
  for (let index = 0, length = 0; length < bytes; index += 1) {
    for (const line of linesOfTurn(index)) {
      lines.push(line);
      length += line.length;
    }
  }
  return lines.join("");
}

function linesOfTurn(index: number): readonly string[] {
  const content = `turn ${index}: ${"a few words about the work, ".repeat(20)}`;
  return [
    { type: index % 2 === 0 ? "user" : "assistant", timestamp: "2026-01-01T00:00:00.000Z", message: { content } },
    { type: "attachment", attachment: "x".repeat(2000) },
  ].map((record) => `${JSON.stringify(record)}\n`);
}

serve(transcript);
