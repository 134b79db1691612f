/**
 * S2. A holder is stopped with SIGSTOP, its lease expires, and another process takes the stick over. When the old
 * holder runs again, whatever it still had to say about its turn is refused, and the new turn is not touched.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { AgentProcess } from "../support/agent-process.ts";
import { AgentRoom, HANDOFF } from "../support/agent-room.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const SETTINGS = { TT_LEASE_TTL_MS: "1000", TT_GONE_GRACE_MS: "300", TT_PRIOR_OWNER_COOLDOWN_MS: "0" };

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSqliteFixture("stick-agent");
});
afterAll(() => bundle.remove());

/** Resolves when the kernel says that the process has stopped. */
async function stop(agent: AgentProcess): Promise<void> {
  agent.signal("SIGSTOP");
  while (!/\) [Tt] /.test(readFileSync(`/proc/${agent.pid}/stat`, "latin1"))) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

async function suspendAHolder(room: AgentRoom, holder: AgentProcess, rival: AgentProcess): Promise<void> {
  const old = await room.take(holder);
  await stop(holder);
  // They wait in the pipe for as long as the process is stopped.
  const late = [
    holder.call("releaseStick", { ...old, handoff: HANDOFF }),
    holder.call("heartbeat", old),
    holder.call("passStick", { ...old, toAgentId: rival.agentId, handoff: HANDOFF }),
  ];

  const { answer: offer } = await room.wait(rival, 60_000);
  // A stopped process is not a dead one, so its lease is the only ground.
  expect(offer).toMatchObject({ status: "takeover_available", reason: "owner_timeout", roomState: "stale_owner" });
  const { answer: taken } = await room.takeOver(rival, old.expectedTurnId);
  expect(taken).toMatchObject({ status: "your_turn", ground: "owner_timeout", turnId: old.expectedTurnId + 1 });

  holder.signal("SIGCONT");
  for (const { answer } of await Promise.all(late)) {
    expect(answer).toMatchObject({
      error: "turn_mismatch",
      facts: { current_owner: rival.agentId, current_turn_id: old.expectedTurnId + 1 },
    });
  }
  const { room: seen } = await room.state(holder);
  expect(seen).toMatchObject({ owner: rival.agentId, turnId: old.expectedTurnId + 1 });
  const { answer: released } = await rival.call("releaseStick", { ...room.tokenOf(taken), handoff: HANDOFF });
  expect(released).toMatchObject({ status: "released" });
}

const rooms = 5;
const turns = Math.ceil(figure(10, 500) / rooms);

verifies("S2", `the old holder is refused after each of ${rooms * turns} suspensions`, async () => {
  const directory = quickDirectory();
  const places = Array.from({ length: rooms }, (_, index) => join(directory, String(index)));
  await inParallel(rooms, places, async (place) => {
    const room = new AgentRoom(bundle, groundAt(place, SETTINGS));
    const holder = await room.enter("agent:holder");
    const rival = await room.enter("agent:rival");
    for (let turn = 0; turn < turns; turn += 1) await suspendAHolder(room, holder, rival);
  });
});
