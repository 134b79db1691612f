/** Full mailboxes, and many who write to one. */
import { join } from "node:path";
import { amount, median, milliseconds, perSecond, sum } from "../figure.ts";
import { atLeast, atMost, bounded, type Finding } from "../finding.ts";
import type { Row } from "../row.ts";
import type { Agent } from "../workers/agent.ts";
import type { BareSqlite } from "../workers/bare-sqlite.ts";
import type { FillMailbox } from "../workers/fill-mailbox.ts";
import type { Workshop } from "../workshop.ts";

const SENDERS = 8;
const [FULL, EMPTY] = ["bench:full", "bench:empty"];

export const mailbox: Row = {
  name: "mailbox",
  async measure(shop) {
    const commitsPerSecond = await bareCommitsPerSecond(shop);
    return [...(await fullMailbox(shop, commitsPerSecond)), ...(await manySenders(shop, commitsPerSecond))];
  },
};

async function bareCommitsPerSecond(shop: Workshop): Promise<number> {
  const writer = await shop.start<BareSqlite>("bare-sqlite");
  await writer.ask("open", { file: join(shop.directory(), "floor.db") });
  const forMs = shop.scale(3000, 500);
  return (await writer.ask("hammer", { forMs })) / (forMs / 1000);
}

async function fullMailbox(shop: Workshop, commitsPerSecond: number): Promise<readonly Finding[]> {
  const messages = shop.scale(10_000, 1000);
  const { env, tree, database } = shop.ground();
  const start = async (agentId: string) => {
    const agent = await shop.start<Agent>("agent", { env });
    await agent.ask("join", { agentId, tree });
    return agent;
  };
  const [sender, full] = [await start("bench:sender"), await start(FULL)];
  await start(EMPTY);
  await sender.ask("sendMessages", { to: FULL, count: 1, everyMs: 0 });
  await (await shop.start<FillMailbox>("fill-mailbox")).ask("fill", { database, owner: FULL, messages });
  // The first calls compile what they need.
  await sender.ask("timeSends", { to: [EMPTY, FULL], count: 30 });
  await full.ask("takeOneByOne", { count: shop.scale(500, 50) });
  const [empty = [], onTop = []] = await sender.ask("timeSends", { to: [EMPTY, FULL], count: shop.scale(500, 50) });
  const perSecondTaken = await full.ask("takeOneByOne", { count: shop.scale(3000, 200) });
  const shown = messages.toLocaleString("en");
  return [
    atMost(
      {
        what: `enqueue with ${shown} pending against empty, p50`,
        floor: milliseconds(median(empty)),
        measured: milliseconds(median(onTop)),
      },
      1.2,
    ),
    atLeast(
      {
        what: `dequeue + ack one by one, ${shown} messages`,
        floor: perSecond(commitsPerSecond),
        measured: perSecond(perSecondTaken),
      },
      0.4,
    ),
  ];
}

async function manySenders(shop: Workshop, commitsPerSecond: number): Promise<readonly Finding[]> {
  const each = shop.scale(250, 25);
  const { env, tree } = shop.ground();
  const receiver = await shop.start<Agent>("agent", { env });
  await receiver.ask("join", { agentId: FULL, tree });
  const senders = await shop.startMany<Agent>(SENDERS, "agent", { env }, (agent, index) =>
    agent.ask("join", { agentId: `bench:sender-${index}`, tree }),
  );
  const startMs = performance.now();
  const [arrivals, ...starts] = await Promise.all([
    receiver.ask("receiveMessages", { count: SENDERS * each }),
    ...senders.map((sender) => sender.ask("sendMessages", { to: FULL, count: each, everyMs: 0 })),
  ]);
  const seconds = (performance.now() - startMs) / 1000;
  const arrived = new Set(arrivals.map(([id]) => id));
  const lost = sum(starts.map((sent) => sent.filter(([id]) => !arrived.has(id)).length));
  const floor = perSecond(commitsPerSecond);
  return [
    {
      ...atLeast(
        { what: `${SENDERS} senders, one receiver, messages`, floor, measured: perSecond(arrivals.length / seconds) },
        0,
      ),
      target: "",
      verdict: "",
    },
    bounded(`${SENDERS} senders, one receiver, lost`, amount(lost, "messages"), amount(0, "messages")),
  ];
}
