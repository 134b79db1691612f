import type { Clock } from "../../src/engine/ports/clock.ts";

/** A clock that moves a little with every look, by amounts that are no whole milliseconds. */
export function fakeClock(): Clock {
  let ms = 1_000_000.125;
  return {
    now: () => {
      ms += 1.0625;
      return { instant: { epoch: "boot-1", ms }, suspendedMs: 0, wallMs: 1_767_225_600_000 + ms };
    },
  };
}
