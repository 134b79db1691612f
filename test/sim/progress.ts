/**
 * Nothing is frozen: once nothing goes wrong any more and everybody who is there wants the stick, everybody gets
 * it, in every room, within a bounded time. Rings stay lost, so the bound holds for the slow look alone.
 */
import type { SimAgent } from "./agent.ts";
import { type Command, join, releaseWith, resume, waitIn } from "./commands.ts";
import { LONGEST_LEASE_MS } from "./policies.ts";
import type { World } from "./world.ts";

const WORK_MS = 400;

export async function everybodyGetsATurn(world: World): Promise<void> {
  world.faults.heal();
  for (const call of world.scheduler.calls) call.cancel.abort();
  for (const [roomId, { room }] of world.watches) {
    const { leaseTtlMs, claimTtlMs, releaseClaimTtlMs } = room.policy;
    // The worst case: a silent owner's lease with its grace after sleep, one reservation nobody takes for every
    // agent, and a work item and a slow look for every turn of everybody.
    const perAgentMs = releaseClaimTtlMs + 3 * (WORK_MS + 2000);
    // A lease that was given before the policy was changed lasts as long as it was meant to.
    const longestLeaseMs = Math.max(leaseTtlMs, LONGEST_LEASE_MS);
    const boundMs = longestLeaseMs + claimTtlMs + 60_000 + world.agents.length * perAgentMs;
    await everybodyGetsATurnIn(world, roomId, room.path, world.scheduler.nowMs + boundMs);
  }
}

async function everybodyGetsATurnIn(world: World, roomId: string, path: string, untilMs: number): Promise<void> {
  const served = new Set<SimAgent>();
  const [person] = world.agents;
  if (person && !person.alive) person.restart({ remembers: false, nameless: false });
  const present = world.agents.filter((agent) => agent.alive);
  for (const agent of present) {
    agent.letGo();
    agent.offered = null;
  }
  while (served.size < present.length) {
    for (const agent of present) {
      if (agent.held?.roomId === roomId) served.add(agent);
      if (!world.isBusy(agent)) await world.start(agent, nextCommand(world, agent, roomId, path));
    }
    await world.runReady();
    world.scheduler.advance(Math.min(world.scheduler.msToNextWake() ?? WORK_MS, WORK_MS));
    const waiting = present.filter((agent) => !served.has(agent)).map((agent) => agent.id);
    if (world.scheduler.nowMs > untilMs) world.fail(`${waiting.join(", ")} did not get the stick of ${path} in time`);
  }
  world.counters.add("everybody served");
}

function nextCommand(world: World, agent: SimAgent, roomId: string, path: string): Command {
  const isPaused = Boolean(world.watches.get(roomId)?.room.state.paused);
  if (isPaused && agent.isPerson) return resume(roomId);
  if (agent.held) return releaseWith(agent.held, { status: "done", nextAction: "your turn" });
  if (world.watches.get(roomId)?.room.state.status === "closed") return join(path, true);
  if (agent.offered) return takeOver(agent.offered);
  return waitIn(roomId, 60_000, true);
}

function takeOver({ roomId, turnId }: { readonly roomId: string; readonly turnId: number }): Command {
  const input = { roomId, expectedTurnId: turnId, reason: "it is silent" };
  return { name: `take over turn ${turnId}`, roomId, run: (stick) => stick.takeoverStick(input) };
}
