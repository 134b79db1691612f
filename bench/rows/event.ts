/** A durable event of the size of a message, from one process to another that waits. */
import { median, milliseconds, percentile } from "../figure.ts";
import { atMost } from "../finding.ts";
import { leastPair, told } from "../floors/least-program.ts";
import { heardNotes } from "../heard-notes.ts";
import { alternately } from "../marks.ts";
import type { Row } from "../row.ts";

export const event: Row = {
  name: "event",
  async measure(shop) {
    const samples = shop.scale(100, 30);
    const { floor, measured } = await alternately(
      shop.scale(20, 2),
      told(await leastPair(shop), samples, "hear"),
      await heardNotes(shop, { samples }),
    );
    // Both are held against the floor's middle: a floor's own tail would excuse ours.
    const base = milliseconds(median(floor));
    const tail = milliseconds(percentile(measured, 0.99));
    return [
      atMost({ what: "durable event, one waiter, p50", floor: base, measured: milliseconds(median(measured)) }, 1.6),
      atMost({ what: "durable event, one waiter, p99", floor: base, measured: tail }, 8),
    ];
  },
};
