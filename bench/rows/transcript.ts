/** What the end of a long transcript costs, against that of a short one. */
import { join } from "node:path";
import { amount, median, microseconds } from "../figure.ts";
import { atMost } from "../finding.ts";
import type { Row } from "../row.ts";
import type { TranscriptWorker } from "../workers/transcript.ts";

const SHORT_BYTES = 1_000_000;
const LONG_BYTES = 1_000_000_000;

export const transcript: Row = {
  name: "transcript",
  async measure(shop) {
    const directory = shop.directory();
    const paths = [join(directory, "short.jsonl"), join(directory, "long.jsonl")];
    const count = shop.scale(1000, 50);
    const worker = await shop.start<TranscriptWorker>("transcript");
    for (const [index, bytes] of [SHORT_BYTES, LONG_BYTES].entries()) {
      await worker.ask("build", { path: paths[index] ?? "", bytes });
    }
    await worker.ask("time", { paths, count: 50 });
    const [short = [], long = []] = await worker.ask("time", { paths, count });
    const [floor, measured] = [microseconds(median(short)), microseconds(median(long))];
    const [least, most] = await Promise.all(
      paths.map(async (path) => {
        const reader = await shop.start<TranscriptWorker>("transcript");
        return reader.ask("peak", { path, count });
      }),
    );
    return [
      atMost({ what: "tail of 20 turns, transcript of 1 GB against 1 MB, p50", floor, measured }, 2),
      atMost({ what: "the same, peak memory (RSS)", floor: mebibytes(least), measured: mebibytes(most) }, 1.1),
    ];
  },
};

function mebibytes(kib = 0) {
  return amount(Math.round(kib / 1024), "MiB");
}
