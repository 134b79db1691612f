import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { untilStopped } from "../../../src/surfaces/cli/until-stopped.ts";

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

test("the time is up however much is collected before", async () => {
  const until = untilStopped(new AbortController().signal, 60);
  const ended = new Promise((resolve) => until.addEventListener("abort", resolve));
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  await ended;
});

test("a stop is heard before the time is up, and without one", async () => {
  const stopped = new AbortController();
  const [timed, endless] = [untilStopped(stopped.signal, 60_000), untilStopped(stopped.signal, undefined)];
  expect([timed.aborted, endless.aborted]).toEqual([false, false]);
  stopped.abort();
  expect([timed.aborted, endless.aborted]).toEqual([true, true]);
  expect(untilStopped(stopped.signal, 60_000).aborted).toBe(true);
});
