/**
 * The protocol of marks and passes (src/engine/ports/guard-files.ts) as a model: one agent takes the stick, two slow hooks
 * of the former holder ask the store and write a pass, a fast one reads the pass and looks for the mark. Every order of
 * their steps is run. A hook that asks after the commit must not be allowed; a holder must not be refused.
 */
import { expect, test } from "vitest";

/** What all see: the store, the files, and what was decided. */
interface World {
  hasMoved: boolean;
  hasMark: boolean;
  hasPass: boolean;
  readonly decisions: Decision[];
}

interface Decision {
  readonly isAllowed: boolean;
  /** Whether the stick had moved when the hook began, and when it decided. */
  readonly movedBefore: boolean;
  readonly movedByThen: boolean;
}

type Step = (world: World) => void;

const mark: Step = (world) => {
  world.hasMark = true;
};
const commit: Step = (world) => {
  world.hasMoved = true;
};

/** Node: it starts, reads the store, and writes a pass if the store said that its session holds the stick. */
function slowHook(): readonly Step[] {
  let [isHolder, movedBefore] = [false, false];
  return [
    (world) => {
      movedBefore = world.hasMoved;
    },
    (world) => {
      isHolder = !world.hasMoved;
      world.decisions.push({ isAllowed: isHolder, movedBefore, movedByThen: world.hasMoved });
    },
    (world) => {
      world.hasPass ||= isHolder;
    },
  ];
}

/** The shell: it reads the pass, and then looks for the mark. In doubt the store decides, at that moment. */
function fastHook(): readonly Step[] {
  let [sawPass, movedBefore] = [false, false];
  return [
    (world) => {
      sawPass = world.hasPass;
      movedBefore = world.hasMoved;
    },
    (world) => {
      const isAllowed = (sawPass && !world.hasMark) || !world.hasMoved;
      world.decisions.push({ isAllowed, movedBefore, movedByThen: world.hasMoved });
    },
  ];
}

interface Wrong {
  /** How many orders there are. */
  orders: number;
  /** Decisions that let a hook pass which had asked after the commit. */
  allowed: number;
  /** Decisions against the holder. */
  refused: number;
}

/** All orders of these actors' steps, each actor's own in their order. `actors` is called again for each. */
function everyOrder(actors: () => readonly (readonly Step[])[]): Wrong {
  const wrong: Wrong = { orders: 0, allowed: 0, refused: 0 };
  const run = (order: readonly number[]): void => {
    const world: World = { hasMoved: false, hasMark: false, hasPass: false, decisions: [] };
    const left = actors().map((steps) => steps.values());
    for (const actor of order) left[actor]?.next().value?.(world);
    wrong.orders += 1;
    wrong.allowed += world.decisions.filter(({ isAllowed, movedBefore }) => isAllowed && movedBefore).length;
    wrong.refused += world.decisions.filter(({ isAllowed, movedByThen }) => !isAllowed && !movedByThen).length;
  };
  const extend = (order: readonly number[], left: readonly number[]): void => {
    if (left.every((steps) => steps === 0)) return run(order);
    for (const [actor, steps] of left.entries()) if (steps > 0) extend([...order, actor], left.with(actor, steps - 1));
  };
  extend(
    [],
    actors().map((steps) => steps.length),
  );
  return wrong;
}

test("with the mark before the commit, no order allows a late hook or refuses the holder", () => {
  const wrong = everyOrder(() => [[mark, commit], slowHook(), slowHook(), fastHook()]);
  expect(wrong).toEqual({ orders: 25_200, allowed: 0, refused: 0 });
});

test("a taker that dies between mark and commit makes nothing wrong either", () => {
  const wrong = everyOrder(() => [[mark], slowHook(), slowHook(), fastHook(), fastHook()]);
  expect(wrong).toMatchObject({ allowed: 0, refused: 0 });
});

test("the model finds what is wrong if the mark comes after the commit", () => {
  const wrong = everyOrder(() => [[commit, mark], slowHook(), slowHook(), fastHook()]);
  expect(wrong).toMatchObject({ orders: 25_200, refused: 0 });
  expect(wrong.allowed).toBeGreaterThan(0);
});

test("the model finds what is wrong if a taker dies after its commit and the mark never comes", () => {
  expect(everyOrder(() => [[commit], slowHook(), fastHook()]).allowed).toBeGreaterThan(0);
});
