/** A store in which one changing call is about to be made, to be copied and used up as often as a test likes. */
import { join } from "node:path";
import { expect } from "vitest";
import type { CallOrder } from "../promises/fixtures/durable-call.ts";
import { CALL_SETTINGS, type ChangingCall, changingCall, type Told } from "./changing-calls.ts";
import { type Dump, dumpDatabase } from "./database-dump.ts";
import { Failpoint, type Point } from "./failpoint.ts";
import { type Bundle, startFixture } from "./fixture.ts";
import { makeRepository } from "./git-repository.ts";
import { accepted, copyData, type Ground, groundAt, groundWith, openWorld } from "./sqlite-world.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { watchedDriver } from "./watched-driver.ts";

export interface StagedCall {
  readonly name: string;
  readonly call: ChangingCall;
  readonly told: Told;
  readonly ground: Ground;
  readonly before: Dump;
  /** What a call that goes well makes of it. */
  readonly after: Dump;
  /** Before each statement of the call in turn, its commit included. */
  readonly points: readonly Point[];
}

export async function stageCall(name: string, { inRepository = false } = {}): Promise<StagedCall> {
  const call = changingCall(name);
  const ground = groundAt(temporaryDirectory(), CALL_SETTINGS);
  if (inRepository) makeRepository(ground.tree);
  const prepared = await openWorld(ground);
  const told = await call.prepare(prepared, ground);
  await prepared.store.close();
  const before = dumpDatabase(ground.database);
  const counter = new Failpoint(() => undefined);
  const done = copyOf(ground, "done");
  const deps = await openWorld(done, { driver: watchedDriver(counter) });
  counter.arm(null);
  accepted(await call.run(deps, told));
  expect(counter.committed).toBe(true);
  await deps.store.close();
  const after = dumpDatabase(done.database);
  expect(after).not.toEqual(before);
  const points = Array.from({ length: counter.count }, (_, index) => index + 1);
  return { name, call, told, ground, before, after, points };
}

export function copyOf(ground: Ground, name: string): Ground {
  const copy = groundWith(ground, join(ground.dataDir, "..", name));
  copyData(ground.dataDir, copy.dataDir);
  return copy;
}

/** A copy in which a process made the call and was killed at the point. `fixture` is durable-call. */
export async function killedAt(fixture: Bundle, { ground, name, told }: StagedCall, dieAt: Point): Promise<Ground> {
  const copy = copyOf(ground, `killed-${dieAt}`);
  const order: CallOrder = { ground: copy, call: name, told, dieAt };
  const ended = await startFixture(fixture, [JSON.stringify(order)]).ended;
  expect(ended).toEqual({ code: null, signal: "SIGKILL", stderr: "" });
  return copy;
}
