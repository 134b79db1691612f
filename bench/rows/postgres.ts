/** A durable event and a durable message between two processes over PostgreSQL, and many processes at once. */
import { type PostgresServer, startPostgres } from "../../test/support/postgres-server.ts";
import { median, milliseconds } from "../figure.ts";
import { atMost, type Finding, skipped } from "../finding.ts";
import { correspondents, heardMessages } from "../heard-messages.ts";
import { heardNotes } from "../heard-notes.ts";
import { alternately, batchOf, latencies, PACE_MS } from "../marks.ts";
import type { Row } from "../row.ts";
import type { BarePostgres } from "../workers/bare-postgres.ts";
import type { Workshop } from "../workshop.ts";
import { overServerAsTeam } from "./postgres-team.ts";

const WHAT = "durable event over PostgreSQL, p50";

export const postgres: Row = {
  name: "postgres",
  async measure(shop) {
    let server: PostgresServer;
    try {
      server = await startPostgres();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      console.error(`SKIPPED: PostgreSQL: ${reason}`);
      return [skipped(WHAT, reason)];
    }
    try {
      return await overServer(shop, server.url);
    } finally {
      // The workers first: they would otherwise speak of a server that is gone.
      await shop.clear();
      await server.stop();
    }
  },
};

async function overServer(shop: Workshop, url: string): Promise<readonly Finding[]> {
  const samples = shop.scale(100, 30);
  const rounds = shop.scale(10, 2);
  const settings = { TT_STORE: url };
  const bare = await bareStatements(shop, url, samples);
  const notes = await alternately(rounds, bare, await heardNotes(shop, { samples, settings }));
  const pair = await correspondents(shop, settings);
  const messages = await alternately(rounds, bare, heardMessages(pair, samples));
  const found = [[WHAT, notes, 2] as const, ["durable message over PostgreSQL, p50", messages, 3] as const].map(
    ([what, { floor, measured }, target]) =>
      atMost({ what, floor: milliseconds(median(floor)), measured: milliseconds(median(measured)) }, target),
  );
  // Its processes must not compete with those of the next measure.
  await shop.clear();
  return [...found, ...(await overServerAsTeam(shop, url))];
}

async function bareStatements(shop: Workshop, url: string, samples: number) {
  const options = { postgres: true };
  const writer = await shop.start<BarePostgres>("bare-postgres", options);
  const listener = await shop.start<BarePostgres>("bare-postgres", options);
  await writer.ask("open", { url });
  await listener.ask("open", { url });
  await listener.ask("listen", undefined);
  return async (): Promise<readonly number[]> => {
    const count = batchOf(samples);
    const [starts, arrivals] = await Promise.all([
      writer.ask("write", { count, everyMs: PACE_MS }),
      listener.ask("hear", { count }),
    ]);
    return latencies(starts, arrivals);
  };
}
