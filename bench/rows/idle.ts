/** What waiters cost while nothing happens. */
import { amount, percent, sum } from "../figure.ts";
import { bounded, type Finding, skipped } from "../finding.ts";
import { cpuNs, hasAccounts, writtenBytes } from "../process-accounts.ts";
import type { Row } from "../row.ts";
import type { IdleKind } from "../workers/agent/idle.ts";
import type { Agent } from "../workers/agent.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";

const MAX_EACH = 0.001;
const MAX_TOGETHER = 0.03;

export const idle: Row = {
  name: "idle",
  async measure(shop) {
    if (!hasAccounts()) return [skipped("idle waiters", "this system has no /proc to read their accounts from")];
    const findings = await idleWaiters(shop, "events");
    await shop.clear();
    return [...findings, ...(await idleWaiters(shop, "turn"))];
  },
};

async function idleWaiters(shop: Workshop, kind: IdleKind): Promise<readonly Finding[]> {
  const waiters = shop.scale(50, 8);
  const forMs = shop.scale(20_000, 3000);
  const { env, tree } = shop.ground();
  // An agent holds the stick, or the first to wait for it would get it.
  const holder = await shop.start<Agent>("agent", { env });
  await holder.ask("join", { agentId: "bench:holder", tree });
  await holder.ask("hold", {});
  const workers = await shop.startMany<Agent>(waiters, "agent", { env }, async (waiter, index) => {
    await waiter.ask("join", { agentId: `bench:waiter-${index}`, tree });
    await waiter.ask("idle", { kind });
  });
  // A young process still compiles and collects for a while after its last answer.
  await pause(shop.scale(20_000, 500));
  const pids = workers.map(({ pid }) => pid);
  const before = pids.map((pid) => ({ ns: cpuNs(pid), bytes: writtenBytes(pid) }));
  await pause(forMs);
  const shares = pids.map((pid, index) => (cpuNs(pid) - (before[index]?.ns ?? 0)) / (forMs * 1e6));
  const written = pids.map((pid, index) => writtenBytes(pid) - (before[index]?.bytes ?? 0));
  const what = `${waiters} idle waiters for ${kind === "turn" ? "the turn" : "events"}`;
  return [
    bounded(`${what}, CPU of the busiest`, percent(Math.max(...shares)), percent(MAX_EACH)),
    bounded(`${what}, CPU together`, percent(sum(shares)), percent(MAX_TOGETHER)),
    bounded(`${what}, written to disk`, amount(sum(written), "bytes"), amount(0, "bytes")),
  ];
}
