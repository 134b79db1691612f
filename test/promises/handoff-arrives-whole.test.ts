/**
 * Goal: a handoff and the stick travel as one thing, once, whoever dies on the way.
 * Method: the process is killed at each statement of the release or pass, and then at each statement of the claim
 * that follows; after each death somebody comes and looks who has what.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { TurnAnswer } from "../../src/domain/stick/answers.ts";
import type { Deps } from "../../src/service/deps.ts";
import { CALL_SETTINGS, CHANGING_CALLS, NEW_HANDOFF, OLD_HANDOFF, type Told } from "../support/changing-calls.ts";
import { Failpoint, type Point } from "../support/failpoint.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, type Ground, groundAt, groundWith, openWorld } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { watchedDriver } from "../support/watched-driver.ts";
import type { CallOrder } from "./fixtures/durable-call.ts";
import { verifies } from "./verifies.ts";

const GIVER = "claude:ann";
const TAKER = "codex:bob";
const CLAIM = "wait that claims a reserved turn";

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("durable-call");
});
afterAll(() => fixture.remove());

interface Stage {
  readonly ground: Ground;
  readonly told: Told;
  /** Each place where the call can be interrupted. */
  readonly points: readonly Point[];
}

/** A store in which `call` is about to be made. */
async function setStage(call: string): Promise<Stage> {
  const ground = groundAt(temporaryDirectory(), CALL_SETTINGS);
  const prepared = await openWorld(ground);
  const told = await callNamed(call).prepare(prepared, ground);
  await prepared.store.close();
  const counter = new Failpoint(() => undefined);
  const trial = await openWorld(copyOf(ground, "trial"), { driver: watchedDriver(counter) });
  counter.arm(null);
  accepted(await callNamed(call).run(trial, told));
  await trial.store.close();
  const before = Array.from({ length: counter.count }, (_, index) => index + 1);
  return { ground, told, points: [...before, "after commit"] };
}

function callNamed(name: string) {
  const call = CHANGING_CALLS[name];
  if (!call) throw new Error(`no call is named ${name}`);
  return call;
}

function copyOf(ground: Ground, name: string): Ground {
  const copy = groundWith(ground, join(ground.dataDir, "..", name));
  cpSync(ground.dataDir, copy.dataDir, { recursive: true });
  return copy;
}

/** The store as the killed process left it, opened by somebody else. */
async function afterDeathIn(call: string, { ground, told }: Stage, dieAt: Point): Promise<Deps> {
  const copy = copyOf(ground, `die-${dieAt}`);
  const order: CallOrder = { ground: copy, call, told, dieAt };
  const ended = await startFixture(fixture, [JSON.stringify(order)]).ended;
  expect(ended).toEqual({ code: null, signal: "SIGKILL", stderr: "" });
  return openWorld(copy);
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

async function dieWhileGiving(call: string, event: "release" | "pass", stage: Stage, point: Point): Promise<void> {
  const { roomId, leaseId } = stage.told;
  const deps = await afterDeathIn(call, stage, point);
  if (point !== "after commit") {
    // Nothing has happened: the giver still has its turn, its lease and the handoff it was given with it.
    expect(await story(deps, roomId)).toEqual(UNTIL_SECOND_TURN);
    const held = await lookAs(deps, GIVER, roomId);
    expect(held).toMatchObject({ status: "your_turn", turnId: 2, leaseId, handoff: OLD_HANDOFF });
    expect(await lookAs(deps, TAKER, roomId)).toMatchObject({ status: "not_yet", currentOwner: GIVER });
    accepted(await callNamed(call).run(deps, stage.told));
  }
  expect(await lookAs(deps, GIVER, roomId)).toMatchObject({ status: "not_yet", reservedFor: TAKER });
  await expectArrival(deps, event, roomId);
  await deps.store.close();
}

async function dieWhileTaking(stage: Stage, point: Point): Promise<void> {
  const deps = await afterDeathIn(CLAIM, stage, point);
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
  const stage = await setStage("release to a waiter");
  await inParallel(3, stage.points, (point) => dieWhileGiving("release to a waiter", "release", stage, point));
});

verifies("S6", "the giver dies at each statement of its pass", async () => {
  const stage = await setStage("pass");
  await inParallel(3, stage.points, (point) => dieWhileGiving("pass", "pass", stage, point));
});

verifies("S6", "the taker dies at each statement of its claim", async () => {
  const stage = await setStage(CLAIM);
  await inParallel(3, stage.points, (point) => dieWhileTaking(stage, point));
});
