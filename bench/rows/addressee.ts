/** The same event in a room full of waiters of which it concerns only one: the others should sleep on. */
import { median, milliseconds } from "../figure.ts";
import { atMost } from "../finding.ts";
import { bareCommits } from "../floors/bare-commit.ts";
import { alternately, batchOf, latencies, PACE_MS } from "../marks.ts";
import type { Row } from "../row.ts";
import type { Worker } from "../worker.ts";
import type { Agent } from "../workers/agent.ts";
import type { Workshop } from "../workshop.ts";

export const addressee: Row = {
  name: "addressee",
  async measure(shop) {
    const samples = shop.scale(100, 30);
    const waiters = shop.scale(50, 8);
    const { floor, measured } = await alternately(
      shop.scale(10, 2),
      await bareCommits(shop, samples),
      await heardByOne(shop, waiters, samples),
    );
    const what = `durable event, ${waiters} waiters, one addressed, p50`;
    return [atMost({ what, floor: milliseconds(median(floor)), measured: milliseconds(median(measured)) }, 2.5)];
  },
};

async function heardByOne(shop: Workshop, waiters: number, samples: number) {
  const { env, tree } = shop.ground();
  const [writer, addressed] = [await shop.start<Agent>("agent", { env }), await shop.start<Agent>("agent", { env })];
  await writer.ask("join", { agentId: "bench:writer", tree });
  await addressed.ask("join", { agentId: "bench:addressee", tree });
  await shop.startMany<Agent>(waiters - 1, "agent", { env }, async (bystander, index) => {
    await bystander.ask("join", { agentId: `bench:bystander-${index}`, tree });
    await bystander.ask("idle", { kind: "events" });
  });
  return () => oneBatch(writer, addressed, batchOf(samples));
}

/** Each batch resolves notes that the addressee has written just before. */
async function oneBatch(writer: Worker<Agent>, addressed: Worker<Agent>, count: number): Promise<readonly number[]> {
  const notes = await addressed.ask("addNotes", { count, everyMs: 0 });
  const [starts, arrivals] = await Promise.all([
    writer.ask("resolveNotes", { noteIds: notes.map(([noteId]) => noteId), everyMs: PACE_MS }),
    addressed.ask("hearNotes", { count, eventType: "note_resolved", target: "self" }),
  ]);
  return latencies(starts, arrivals);
}
