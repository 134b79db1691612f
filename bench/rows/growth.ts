/** What a long log costs the calls that do not ask for its past. */
import { median, microseconds } from "../figure.ts";
import { atMost, type Finding } from "../finding.ts";
import type { Row } from "../row.ts";
import type { Growth, GrowthCall } from "../workers/growth.ts";

const SHORT_LOG = 1000;

export const growth: Row = {
  name: "growth",
  async measure(shop) {
    const longLog = shop.scale(1_000_000, 50_000);
    const worker = await shop.start<Growth>("growth");
    for (const events of [SHORT_LOG, longLog]) await worker.ask("build", { ground: shop.ground(), events });
    const findings: Finding[] = [];
    const calls: readonly GrowthCall[] = [
      "room state",
      "tail of 50 events",
      "one look for the turn",
      "wait for events, 0 ms",
    ];
    for (const call of calls) {
      // The first calls compile what they need.
      await worker.ask("time", { call, count: 50 });
      const [short = [], long = []] = await worker.ask("time", { call, count: shop.scale(1000, 100) });
      const [floor, measured] = [microseconds(median(short)), microseconds(median(long))];
      const what = `${call}, ${longLog.toLocaleString("en")} events against ${SHORT_LOG.toLocaleString("en")}, p50`;
      findings.push(atMost({ what, floor, measured }, 1.3));
    }
    return findings;
  },
};
