/**
 * The protocol of permits and marks (src/platform/agents/quiet-files.ts) as a model: one process gives the session the
 * stick, one hook starts the program, and one hook is answered by the shell. Every order of their steps is run. After the
 * commit, no hook may be answered by the shell.
 */
import { expect, test } from "vitest";

interface World {
  permit: number | null;
  mark: number | null;
  isLocked: boolean;
  isHolder: boolean;
  wrong: number;
}

/** False if the step has to wait. */
type Step = (world: World) => boolean | void;

const lock: Step = (world) => {
  if (world.isLocked) return false;
  world.isLocked = true;
  return true;
};
const closePermit: Step = (world) => {
  world.permit = null;
};
const commit: Step = (world) => {
  world.isHolder = true;
  world.isLocked = false;
};
const GRANT = [lock, closePermit, commit];

/** `locks`: whether it writes the session's row, and so waits for other writers, before it reads. */
function program(word: number, { locks = true } = {}): readonly Step[] {
  let [foundNothing, isOpen] = [false, false];
  const row: readonly Step[] = [
    lock,
    (world) => {
      world.isLocked = false;
    },
  ];
  return [
    (world) => {
      world.permit = word;
      isOpen = true;
    },
    ...(locks ? row : []),
    (world) => {
      foundNothing = isOpen && !world.isHolder;
    },
    (world) => {
      if (foundNothing) world.mark = word;
    },
  ];
}

/** It reads the mark, and then the permit. */
function shell(): readonly Step[] {
  let [mark, wasHolder] = [null as number | null, false];
  return [
    (world) => {
      [mark, wasHolder] = [world.mark, world.isHolder];
    },
    (world) => {
      if (wasHolder && mark !== null && world.permit === mark) world.wrong += 1;
    },
  ];
}

function everyOrder(actors: () => readonly (readonly Step[])[]): { readonly orders: number; readonly wrong: number } {
  const found = { orders: 0, wrong: 0 };
  /** Null for an order in which a step would have to wait: another order stands for it. */
  const run = (order: readonly number[]): World | null => {
    const world: World = { permit: 0, mark: 0, isLocked: false, isHolder: false, wrong: 0 };
    const left = actors().map((steps) => steps.values());
    for (const actor of order) if (left[actor]?.next().value?.(world) === false) return null;
    return world;
  };
  const extend = (order: readonly number[], left: readonly number[]): void => {
    if (run(order) === null) return;
    if (left.every((steps) => steps === 0)) {
      found.orders += 1;
      found.wrong += run(order)?.wrong ?? 0;
      return;
    }
    for (const [actor, steps] of left.entries()) if (steps > 0) extend([...order, actor], left.with(actor, steps - 1));
  };
  extend(
    [],
    actors().map((steps) => steps.length),
  );
  return found;
}

test("no order lets the shell answer for a holder", () => {
  const { orders, wrong } = everyOrder(() => [GRANT, program(1), shell(), shell()]);
  expect(orders).toBeGreaterThan(1000);
  expect(wrong).toBe(0);
});

test("nor if two hooks start the program at once", () => {
  expect(everyOrder(() => [GRANT, program(1), program(2), shell()]).wrong).toBe(0);
});

test("the model finds what is wrong if the program does not wait for a grant that has begun", () => {
  expect(everyOrder(() => [GRANT, program(1, { locks: false }), shell()]).wrong).toBeGreaterThan(0);
});

test("the model finds what is wrong if the permit is closed only after the commit", () => {
  expect(everyOrder(() => [[lock, commit, closePermit], program(1), shell()]).wrong).toBeGreaterThan(0);
});

test("the model finds what is wrong if the permit is never closed", () => {
  expect(everyOrder(() => [[lock, commit], shell()]).wrong).toBeGreaterThan(0);
});
