/**
 * Goal: a handoff and the stick travel as one thing, once, whichever process dies on the way.
 * Method: the process is killed at each statement of the release or pass, and then at each statement of the claim
 * that follows; after each death another process looks who has what.
 */
import { afterAll, beforeAll, expect } from "vitest";
import type { Deps } from "../../src/engine/deps.ts";
import type { TurnAnswer, YourTurn } from "../../src/stick/rules/answers.ts";
import { NEW_HANDOFF, OLD_HANDOFF } from "../support/changing-calls.ts";
import type { Point } from "../support/failpoint.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, openWorld } from "../support/sqlite-world.ts";
import { killedAt, type StagedCall, stageCall } from "../support/staged-call.ts";
import { verifies } from "./verifies.ts";

const GIVER = "claude:ann";
const TAKER = "codex:bob";

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("durable-call");
});
afterAll(() => fixture.remove());

/** Each place where the call can be interrupted. */
function everyPoint({ points }: StagedCall): readonly Point[] {
  return [...points, "after commit"];
}

async function lookAs(deps: Deps, agent: string, roomId: string): Promise<TurnAnswer> {
  return accepted(await actor(deps, agent).waitForTurn({ roomId, maxWaitMs: 0 }));
}

/** The grants and the handoffs of the log, in their order. */
async function story(deps: Deps, roomId: string): Promise<unknown[]> {
  const { events } = accepted(await actor(deps, TAKER).getRoomEvents({ roomId, afterEventSeq: 0 }));
  return events
    .filter(({ eventType }) => ["claim", "release", "pass"].includes(eventType))
    .map(({ eventType, turnId, handoff }) => [eventType, turnId, handoff]);
}

const UNTIL_SECOND_TURN = [
  ["claim", 1, null],
  ["release", 1, OLD_HANDOFF],
  ["claim", 2, null],
];

async function dieWhileGiving(event: "release" | "pass", stage: StagedCall, point: Point): Promise<void> {
  const { roomId, leaseId } = stage.told;
  const deps = await openWorld(await killedAt(fixture, stage, point));
  if (point !== "after commit") {
    // Nothing has happened: the giver still has its turn, its lease and the handoff it was given with it.
    expect(await story(deps, roomId)).toEqual(UNTIL_SECOND_TURN);
    const held = await lookAs(deps, GIVER, roomId);
    expect(held).toMatchObject({ status: "your_turn", turnId: 2, leaseId, handoff: OLD_HANDOFF });
    expect(await lookAs(deps, TAKER, roomId)).toMatchObject({ status: "not_yet", currentOwner: GIVER });
    accepted(await stage.call.run(deps, stage.told));
  }
  expect(await lookAs(deps, GIVER, roomId)).toMatchObject({ status: "not_yet", reservedFor: TAKER });
  await expectArrival(deps, event, roomId);
  await deps.store.close();
}

async function dieWhileTaking(stage: StagedCall, point: Point): Promise<void> {
  const deps = await openWorld(await killedAt(fixture, stage, point));
  await expectArrival(deps, "release", stage.told.roomId);
  await deps.store.close();
}

/** The taker comes (again) and has the third turn with the whole handoff; the log knows of one of each. */
async function expectArrival(deps: Deps, event: "release" | "pass", roomId: string): Promise<void> {
  for (const look of ["first", "again"]) {
    const taken = await lookAs(deps, TAKER, roomId);
    expect([look, taken]).toMatchObject([look, { status: "your_turn", turnId: 3, fromAgentId: GIVER }]);
    expect(taken).toHaveProperty("handoff", NEW_HANDOFF);
  }
  expect(await story(deps, roomId)).toEqual([...UNTIL_SECOND_TURN, [event, 2, NEW_HANDOFF], ["claim", 3, null]]);
}

verifies("S6", "the giver dies at each statement of its release", async () => {
  const stage = await stageCall("release to a waiter");
  await inParallel(3, everyPoint(stage), (point) => dieWhileGiving("release", stage, point));
});

verifies("S6", "the giver dies at each statement of its pass", async () => {
  const stage = await stageCall("pass");
  await inParallel(3, everyPoint(stage), (point) => dieWhileGiving("pass", stage, point));
});

verifies(
  "S6",
  "the giver dies in a repository, at each statement of its release and before git has answered",
  async () => {
    const stage = await stageCall("release to a waiter", { inRepository: true });
    await inParallel(3, everyPoint(stage), async (point) => {
      const { roomId } = stage.told;
      const deps = await openWorld(await killedAt(fixture, stage, point));
      const isReleased = point === "after commit";
      if (!isReleased) accepted(await stage.call.run(deps, stage.told));
      const taken = await lookAs(deps, TAKER, roomId);
      const evidence = { branch: "main" };
      expect([point, taken]).toMatchObject([point, { turnId: 3, handoff: { ...NEW_HANDOFF, evidence } }]);
      // Killed after the commit, it leaves a handoff without the evidence that it awaited. Otherwise the evidence came.
      expect("pendingUntil" in ((taken as YourTurn).handoff?.evidence ?? {})).toBe(isReleased);
      const { events } = accepted(await actor(deps, TAKER).getRoomEvents({ roomId, afterEventSeq: 0 }));
      const attached = events.filter(({ eventType }) => eventType === "evidence_attached").map(({ turnId }) => turnId);
      expect([point, attached]).toEqual([point, isReleased ? [1] : [1, 2]]);
      await deps.store.close();
    });
  },
);

verifies("S6", "the taker dies at each statement of its claim", async () => {
  const stage = await stageCall("wait that claims a reserved turn");
  await inParallel(3, everyPoint(stage), (point) => dieWhileTaking(stage, point));
});
