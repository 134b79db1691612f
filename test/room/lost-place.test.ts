import { expect, it } from "vitest";
import type { NotYet } from "../../src/stick/rules/answers.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

it("of two waits of one agent, the one that goes on keeps the place that the cancelled one gave up", async () => {
  const world = new ServiceWorld();
  const [a, b] = [world.as("a"), world.as("b")];
  const { roomId } = accepted(await a.joinPath({ contextPath: world.directory("project") }));
  const turn = accepted(await a.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("a should hold the stick");
  const cancel = new AbortController();
  const looks: NotYet[] = [];
  const cancelled = b.waitForTurn({ roomId, signal: cancel.signal, onLook: () => cancel.abort() });
  const goesOn = new Promise<void>((resolve) => {
    void b.waitForTurn({
      roomId,
      onLook: (seen) => {
        looks.push(seen);
        if (looks.length > 1) resolve();
      },
    });
  });
  expect(await cancelled).toMatchObject({ status: "not_yet", queuePosition: null });
  await goesOn;
  expect(looks.at(-1)).toMatchObject({ queuePosition: 1 });
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  expect(await a.releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ reservedFor: "b" });
});
