/** The waiter in a world of virtual time: every nap lasts as long as it was asked for, and nothing else takes time. */
import { describe, expect, it, vi } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { asAgentId } from "../../src/core/ids.ts";
import type { ProcessVerdict } from "../../src/core/process.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { NextOptions, WakeReason } from "../../src/engine/ports/bell.ts";
import { type Look, type LookReason, NOTHING_YET, type WaitFor, waitUntil } from "../../src/engine/wait-until.ts";
import { processOf } from "../support/room-world.ts";
import { agentCalled, servicePorts } from "../support/service-ports.ts";

const ME = asAgentId("me");
const NO_BELL = new Fault("store_unsafe", "not a bell", { retry: false, next: "remove it" });
const BUSY = new Fault("store_busy", "busy", { retry: true, next: "again" });

/** `during`: what happens in the nap of that number; what it returns ends the nap. */
class Night {
  nowMs = 0;
  isClockStopped = false;
  suspendedMs = 0;
  mark: () => Promise<string> = async () => "1";
  verdict: ProcessVerdict = "alive";
  lookEveryMs = 2000;
  during: Record<number, () => WakeReason | void> = {};
  readonly naps: number[] = [];
  readonly listened: string[] = [];
  readonly looks: LookReason[] = [];
  open = 0;
  /** How often listening fails before it succeeds. */
  deafFor = 0;
  keepsAlive: boolean | undefined;

  get deps(): Deps {
    const clock = {
      now: () => ({ instant: { epoch: "e", ms: this.nowMs }, suspendedMs: this.suspendedMs, wallMs: this.nowMs }),
    };
    const ports = servicePorts({ store: { changeMark: () => this.mark() } as unknown as Deps["store"], clock });
    const subscribe = async (name: string) => {
      this.listened.push(name);
      if (this.listened.length <= this.deafFor) throw NO_BELL;
      this.open += 1;
      return { lookEveryMs: this.lookEveryMs, next: this.#next, close: () => void (this.open -= 1) };
    };
    return {
      ...ports,
      bell: { ...ports.bell, subscribe },
      probe: { ...ports.probe, verdict: () => this.verdict },
    };
  }

  readonly #next = async (timeoutMs: number, signal?: AbortSignal, options?: NextOptions): Promise<WakeReason> => {
    this.naps.push(timeoutMs);
    this.keepsAlive = options?.keepsAlive;
    const woken = this.during[this.naps.length]?.();
    if (signal?.aborted) return "aborted";
    if (woken) return woken;
    if (!this.isClockStopped) this.nowMs += timeoutMs;
    return "timeout";
  };

  /** Looks with `look`, which finds nothing unless it is given. */
  async wait(
    wait: Partial<WaitFor<string>> & { readonly forMs?: number } = {},
    look: (count: number) => Promise<Look<string>> | Look<string> = () => NOTHING_YET,
  ) {
    const { forMs, ...more } = wait;
    const until = forMs === undefined ? {} : { until: { epoch: "e", ms: this.nowMs + forMs } };
    return waitUntil<string>(this.deps, {
      name: ME,
      ...until,
      ...more,
      look: async (reason) => {
        this.looks.push(reason);
        return look(this.looks.length);
      },
    });
  }
}

/** A look that has the store's mark, as most have. */
const STILL = { mark: "1" } as const;

describe("what it waits for", () => {
  it("given it is there, the first look ends the wait without a nap", async () => {
    const night = new Night();
    expect(await night.wait({ forMs: 1000 }, () => ({ found: "here" }))).toEqual({ found: "here" });
    expect(night.naps).toEqual([]);
    expect(night.open).toBe(0);
  });

  it("given it comes with a ring, the look after the ring finds it", async () => {
    const night = new Night();
    night.during = { 2: () => "rang" };
    const ended = await night.wait({ forMs: 60_000 }, (look) => (look === 1 ? STILL : { found: "rung for" }));
    expect(ended).toEqual({ found: "rung for" });
    expect(night.looks).toEqual(["first", "rang"]);
  });

  it("given the ring is lost, a changed mark leads to a look within two seconds", async () => {
    const night = new Night();
    night.during = { 3: () => void (night.mark = async () => "2") };
    await night.wait({ forMs: 60_000 }, (look) => (look === 1 ? STILL : { found: "late" }));
    expect(night.naps).toEqual([2000, 2000, 2000]);
  });

  it("given nobody can be heard, it compares marks as often as the bell asks for, and probes processes every two seconds", async () => {
    const night = new Night();
    night.lookEveryMs = 500;
    night.during = { 5: () => void (night.verdict = "gone") };
    const decisive = [processOf("holder")];
    await night.wait({ forMs: 60_000 }, (look) => (look === 1 ? { ...STILL, decisive } : { found: "gone" }));
    expect(night.naps).toEqual(Array.from({ length: 8 }, () => 500));
  });
});

describe("while nothing stirs", () => {
  it("it sleeps on in naps of two seconds, and looks with care after half a minute", async () => {
    const night = new Night();
    await night.wait({ forMs: 60_000 }, (look) => (look === 1 ? STILL : { found: "care" }));
    expect(night.naps).toEqual(Array.from({ length: 15 }, () => 2000));
  });

  it("given time alone changes something, it looks then", async () => {
    const night = new Night();
    await night.wait({}, (look) => (look === 1 ? { ...STILL, changesInMs: 4500 } : { found: "due" }));
    expect(night.naps).toEqual([2000, 2000, 500]);
  });

  it.each<[string, (night: Night) => void]>([
    ["the holder is gone", (night) => Object.assign(night, { verdict: "gone" })],
    ["the machine has slept", (night) => Object.assign(night, { suspendedMs: 1 })],
    ["the store cannot be read", (night) => Object.assign(night, { mark: () => Promise.reject(BUSY) })],
  ])("it looks when %s", async (_, stir) => {
    const night = new Night();
    night.during = { 3: () => stir(night) };
    const decisive = [processOf("holder")];
    const look = (count: number) => {
      night.mark = async () => "1";
      return count === 1 ? { ...STILL, decisive } : { found: "stirred" };
    };
    const ended = await night.wait({ forMs: 60_000 }, look).catch((error: unknown) => error);
    expect(night.naps.slice(0, 3)).toEqual([2000, 2000, 2000]);
    expect(ended).toEqual({ found: "stirred" });
  });

  it("given a process that it cannot see, it takes nothing for granted", async () => {
    const night = new Night();
    night.verdict = "unknown";
    const decisive = [processOf("holder")];
    await night.wait({}, (look) => (look === 1 ? { ...STILL, decisive } : { found: "care" }));
    expect(night.naps).toHaveLength(15);
  });

  it("given a look without a mark, it looks again after one nap, and then with one", async () => {
    const night = new Night();
    await night.wait({ forMs: 12_000 });
    expect(night.looks).toEqual(["first", "stirred", "stirred"]);
    expect(night.naps).toHaveLength(6);
  });

  it("given what it waits for is not in the store, it looks as often as it was told", async () => {
    const night = new Night();
    await night.wait({ forMs: 170, everyMs: 50 });
    expect(night.naps).toEqual([50, 50, 50, 20]);
    expect(night.looks).toHaveLength(5);
  });
});

describe("how it ends", () => {
  it("given its time is up, with a last look", async () => {
    const night = new Night();
    expect(await night.wait({ forMs: 1500 }, () => STILL)).toEqual({ end: "time_up" });
    expect(night.looks).toEqual(["first", "stirred"]);
    expect(night.nowMs).toBe(1500);
  });

  it("given no time at all, after one look", async () => {
    const night = new Night();
    expect(await night.wait({ forMs: 0 })).toEqual({ end: "time_up" });
    expect(night.looks).toEqual(["first"]);
  });

  it("given a clock that stands still, when it has napped for long enough", async () => {
    const night = new Night();
    night.isClockStopped = true;
    expect(await night.wait({ forMs: 5000 }, () => STILL)).toEqual({ end: "time_up" });
  });

  it.each(["cancel", "enough"] as const)("given %s, without another look", async (signal) => {
    const night = new Night();
    const stop = new AbortController();
    night.during = { 2: () => stop.abort() };
    const ended = await night.wait({ forMs: 60_000, [signal]: stop.signal }, () => STILL);
    expect(ended).toEqual({ end: signal === "cancel" ? "cancelled" : "enough" });
    expect(night.looks).toEqual(["first"]);
    expect(night.open).toBe(0);
  });

  it("given both, the caller gives its place up", async () => {
    const night = new Night();
    const [cancel, enough] = [AbortSignal.abort(), AbortSignal.abort()];
    expect(await night.wait({ forMs: 60_000, cancel, enough })).toEqual({ end: "cancelled" });
    expect(night.looks).toEqual(["first"]);
  });

  it("given the caller's harness dies, within two seconds and with the refusal for it", async () => {
    const night = new Night();
    night.during = { 4: () => void (night.verdict = "gone") };
    const ended = await night.wait({ caller: agentCalled("me") }, () => STILL);
    expect(ended).toMatchObject({ end: "session_ended", refusal: { error: "session_ended" } });
    expect(night.nowMs).toBe(8000);
    expect(night.looks).toEqual(["first"]);
  });
});

describe("given the store fails for the moment", () => {
  it("it waits on and looks again two seconds later, also if that was the first look", async () => {
    const night = new Night();
    const ended = night.wait({ forMs: 60_000 }, (look) => (look < 3 ? Promise.reject(BUSY) : { found: "after all" }));
    expect(await ended).toEqual({ found: "after all" });
    expect(night.naps).toEqual([2000, 2000]);
  });

  it("a caller is told at once if the first look fails, and waits on if a later one does", async () => {
    const caller = agentCalled("me");
    const failed = new Night().wait({ forMs: 60_000, caller }, () => Promise.reject(BUSY));
    await expect(failed).rejects.toBe(BUSY);
    const later = new Night().wait({ forMs: 60_000, caller }, (look) =>
      look === 1 ? STILL : look === 2 ? Promise.reject(BUSY) : { found: "after all" },
    );
    expect(await later).toEqual({ found: "after all" });
  });

  it("a deaf waiter does not hammer it either", async () => {
    const night = new Night();
    night.lookEveryMs = 500;
    await expect(night.wait({ forMs: 3000 }, () => Promise.reject(BUSY))).rejects.toBe(BUSY);
    expect(night.looks).toHaveLength(3);
  });

  it("the last look tells of it", async () => {
    await expect(new Night().wait({ forMs: 5000 }, () => Promise.reject(BUSY))).rejects.toBe(BUSY);
  });

  it("any other fault ends the wait at once", async () => {
    const broken = new Fault("store_corrupt", "broken", { retry: false, next: "restore" });
    const night = new Night();
    await expect(night.wait({ forMs: 5000 }, () => Promise.reject(broken))).rejects.toBe(broken);
    expect(night.naps).toEqual([]);
    expect(night.open).toBe(0);
  });
});

describe("given the bell cannot be heard", () => {
  it("a wait without a caller looks anyway, and tries again before its next look", async () => {
    vi.useFakeTimers();
    const night = new Night();
    night.deafFor = 1;
    night.during = { 1: () => "rang" };
    const ended = night.wait({ everyMs: 60_000 }, (look) => (look < 3 ? NOTHING_YET : { found: "rung for" }));
    await vi.advanceTimersByTimeAsync(2000);
    expect(await ended).toEqual({ found: "rung for" });
    expect(night.listened).toEqual(["me", "me"]);
    expect(night.looks).toEqual(["first", "stirred", "rang"]);
    expect(night.open).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it("a caller is told", async () => {
    const night = new Night();
    night.deafFor = 1;
    await expect(night.wait({ caller: agentCalled("me") })).rejects.toBe(NO_BELL);
  });
});

it.each([undefined, false])("a wait with keepsAlive %s sleeps so", async (keepsAlive) => {
  const night = new Night();
  await night.wait({ forMs: 1000, ...(keepsAlive !== undefined && { keepsAlive }) });
  expect(night.keepsAlive).toBe(keepsAlive);
});

it("given a look learns of another name, it listens to that bell and looks again before it sleeps", async () => {
  const night = new Night();
  const other = asAgentId("me now");
  const ended = await night.wait({ forMs: 5000 }, (look) => (look === 1 ? { name: other } : { found: "renamed" }));
  expect(ended).toEqual({ found: "renamed" });
  expect(night.listened).toEqual(["me", "me now"]);
  expect(night.looks).toEqual(["first", "first"]);
  expect(night.naps).toEqual([]);
  expect(night.open).toBe(0);
});
