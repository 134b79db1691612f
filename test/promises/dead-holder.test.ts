/**
 * S4. A holder is killed with SIGKILL while another process waits. The waiter must be told that it may take over,
 * no later than the room's grace and three seconds after the kill, by the clock that all processes share.
 */
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { AgentRoom } from "../support/agent-room.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const GONE_GRACE_MS = 300;
const BOUND_MS = GONE_GRACE_MS + 3000;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSqliteFixture("stick-agent");
});
afterAll(() => bundle.remove());

async function killAHolder(directory: string): Promise<void> {
  const room = new AgentRoom(bundle, groundAt(directory, { TT_GONE_GRACE_MS: String(GONE_GRACE_MS) }));
  const holder = await room.enter("agent:holder");
  const { expectedTurnId } = await room.take(holder);
  const waiter = await room.enter("agent:waiter");
  const told = room.wait(waiter, 60_000);
  await room.untilWaiting(waiter, 1);

  const killedAt = process.hrtime.bigint();
  await holder.kill();
  const { answer, at } = await told;
  expect(answer).toMatchObject({
    status: "takeover_available",
    reason: "owner_gone",
    roomState: "owner_gone",
    currentOwner: "agent:holder",
    turnId: expectedTurnId,
  });
  expect(Number(at - killedAt) / 1e6).toBeLessThan(BOUND_MS);

  const { answer: taken } = await room.takeOver(waiter, expectedTurnId);
  expect(taken).toMatchObject({ status: "your_turn", ground: "owner_gone", turnId: expectedTurnId + 1 });
  await waiter.kill();
}

const kills = figure(20, 500);

verifies("S4", `a waiter may take over within ${BOUND_MS} ms after each of ${kills} kills`, async () => {
  const directory = quickDirectory();
  const rooms = Array.from({ length: kills }, (_, index) => join(directory, String(index)));
  await inParallel(4, rooms, killAHolder);
});
