/** What every bell promises. A bell is opened twice where that means two connections, so that rings really travel. */
import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { Bell } from "../../src/engine/ports/bell.ts";

/** The bell that rings and the one that listens; the same object where there is only one process. */
export type OpenBells = () => Promise<{ readonly ringer: Bell; readonly listener: Bell }>;

/** Long enough for any ring on a busy machine, short enough that a lost one fails the test. */
const SOON_MS = 5000;
/** Long enough that a wrongly sent ring would have come. */
const SILENCE_MS = 60;
const LONG_ID = asAgentId(`codex:${"ü".repeat(200)}/../${"A".repeat(40)}`);

export function bellContract(openBells: OpenBells): void {
  const open = async () => {
    const bells = await openBells();
    onTestFinished(async () => {
      await bells.ringer.close();
      await bells.listener.close();
    });
    return bells;
  };
  const claude = asAgentId("claude:1");
  const codex = asAgentId("codex:1");

  describe("a bell", () => {
    test("wakes the agent it rings for, and nobody else", async () => {
      const { ringer, listener } = await open();
      const mine = await listener.subscribe(claude);
      const other = await listener.subscribe(codex);
      await ringer.ring([claude]);
      expect(await mine.next(SOON_MS)).toBe("rang");
      expect(await other.next(SILENCE_MS)).toBe("timeout");
    });

    test("wakes every process that listens to all, even when no agent is named", async () => {
      const { ringer, listener } = await open();
      const all = await listener.subscribe("all");
      await ringer.ring([claude]);
      expect(await all.next(SOON_MS)).toBe("rang");
      await settle(all);
      await ringer.ring([]);
      expect(await all.next(SOON_MS)).toBe("rang");
    });

    test("does not take an agent called all for everybody", async () => {
      const { ringer, listener } = await open();
      const claudeBell = await listener.subscribe(claude);
      await ringer.ring([asAgentId("all")]);
      expect(await claudeBell.next(SILENCE_MS)).toBe("timeout");
    });

    test("wakes several agents at once", async () => {
      const { ringer, listener } = await open();
      const both = await Promise.all([listener.subscribe(claude), listener.subscribe(codex)]);
      const woken = Promise.all(both.map((subscription) => subscription.next(SOON_MS)));
      await ringer.ring([claude, codex]);
      expect(await woken).toEqual(["rang", "rang"]);
    });

    test("tells apart ids that differ only in case, and takes long and odd ones", async () => {
      const { ringer, listener } = await open();
      const upper = await listener.subscribe(asAgentId("Claude:1"));
      const odd = await listener.subscribe(LONG_ID);
      await ringer.ring([claude]);
      expect(await upper.next(SILENCE_MS)).toBe("timeout");
      await ringer.ring([LONG_ID]);
      expect(await odd.next(SOON_MS)).toBe("rang");
    });

    test("reaches every one of very many agents", async () => {
      const { ringer, listener } = await open();
      const agents = Array.from({ length: 60 }, (_, index) => asAgentId(`agent:${"x".repeat(200)}${index}`));
      const last = await listener.subscribe(agents.at(-1) as typeof claude);
      await ringer.ring(agents);
      expect(await last.next(SOON_MS)).toBe("rang");
    });

    test("wakes two subscriptions to the same agent", async () => {
      const { ringer, listener } = await open();
      const [one, two] = [await listener.subscribe(claude), await listener.subscribe(claude)];
      await ringer.ring([claude]);
      expect(await Promise.all([one.next(SOON_MS), two.next(SOON_MS)])).toEqual(["rang", "rang"]);
      one.close();
      await settle(two);
      await ringer.ring([claude]);
      expect(await two.next(SOON_MS)).toBe("rang");
    });
  });

  describe("a subscription", () => {
    test("hears a ring that came before it was asked", async () => {
      const { ringer, listener } = await open();
      const [early, witness] = [await listener.subscribe(claude), await listener.subscribe(claude)];
      await ringer.ring([claude]);
      expect(await witness.next(SOON_MS)).toBe("rang");
      expect(await early.next(SOON_MS)).toBe("rang");
    });

    test("takes many rings for one", async () => {
      const { ringer, listener } = await open();
      const subscription = await listener.subscribe(claude);
      for (let count = 0; count < 50; count += 1) await ringer.ring([claude]);
      expect(await subscription.next(SOON_MS)).toBe("rang");
      await settle(subscription);
      expect(await subscription.next(SILENCE_MS)).toBe("timeout");
      await ringer.ring([claude]);
      expect(await subscription.next(SOON_MS)).toBe("rang");
    });

    test("ends its sleep after the given time", async () => {
      const { listener } = await open();
      const subscription = await listener.subscribe(claude);
      expect(await subscription.next(1)).toBe("timeout");
      expect(await subscription.next(0)).toBe("timeout");
    });

    test("ends its sleep when aborted, before or while sleeping, and leaves no listener behind", async () => {
      const { listener, ringer } = await open();
      const subscription = await listener.subscribe(claude);
      const abort = new AbortController();
      const sleeping = subscription.next(SOON_MS, abort.signal);
      abort.abort();
      expect(await sleeping).toBe("aborted");
      expect(await subscription.next(SOON_MS, abort.signal)).toBe("aborted");
      const { signal } = new AbortController();
      await ringer.ring([claude]);
      await subscription.next(SOON_MS, signal);
      await subscription.next(1, signal);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    });

    test("ends its sleep when it is closed, as do all when the bell is", async () => {
      const { listener } = await open();
      const [one, two] = [await listener.subscribe(claude), await listener.subscribe(codex)];
      const sleeping = [one.next(SOON_MS), two.next(SOON_MS)];
      one.close();
      one.close();
      expect(await sleeping[0]).toBe("aborted");
      await listener.close();
      expect(await sleeping[1]).toBe("aborted");
      expect(await two.next(SOON_MS)).toBe("aborted");
    });

    test("looks seldom, because it can hear", async () => {
      const { listener } = await open();
      expect((await listener.subscribe(claude)).lookEveryMs).toBe(2000);
    });
  });
}

/** A ring may arrive more than once; waits until it is quiet. */
async function settle(subscription: { next(timeoutMs: number): Promise<string> }): Promise<void> {
  while ((await subscription.next(SILENCE_MS)) === "rang");
}
