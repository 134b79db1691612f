/** A durable message from one process to another that receives, and a question that is answered. */
import { median, milliseconds, percentile } from "../figure.ts";
import { atMost } from "../finding.ts";
import { leastPair, told } from "../floors/least-program.ts";
import { type Correspondents, correspondents, heardMessages, RECEIVER } from "../heard-messages.ts";
import { alternately, batchOf, PACE_MS } from "../marks.ts";
import type { Row } from "../row.ts";

export const message: Row = {
  name: "message",
  async measure(shop) {
    const samples = shop.scale(100, 30);
    const pair = await correspondents(shop);
    const messages = heardMessages(pair, samples);
    const least = told(await leastPair(shop), samples, "take");
    const { floor, measured } = await alternately(shop.scale(20, 2), least, messages);
    const asked = await alternately(shop.scale(10, 2), messages, answered(pair, samples));
    // Both are held against the floor's middle: a floor's own tail would excuse ours.
    const base = milliseconds(median(floor));
    const tail = milliseconds(percentile(measured, 0.99));
    const [one, both] = [milliseconds(median(asked.floor)), milliseconds(median(asked.measured))];
    return [
      atMost({ what: "durable message, p50", floor: base, measured: milliseconds(median(measured)) }, 2),
      atMost({ what: "durable message, p99", floor: base, measured: tail }, 8),
      atMost({ what: "ask → answer → asker has it, against one message, p50", floor: one, measured: both }, 2.5),
    ];
  },
};

/** The first few of a batch are left out, as everywhere. */
function answered({ sender, receiver }: Correspondents, samples: number) {
  return async (): Promise<readonly number[]> => {
    const count = batchOf(samples);
    const [times] = await Promise.all([
      sender.ask("askQuestions", { to: RECEIVER, count, everyMs: PACE_MS }),
      receiver.ask("answerQuestions", { count }),
    ]);
    return times.slice(-samples);
  };
}
