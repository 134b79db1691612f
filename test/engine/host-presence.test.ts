/** The note of a process, by a register that is slow, fails, or loses its answer, in virtual time. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { processKey } from "../../src/core/process.ts";
import { HostPresence } from "../../src/engine/host-presence.ts";
import type { ProcessProbe } from "../../src/engine/ports/process-probe.ts";
import type { HostRegister } from "../../src/engine/ports/store.ts";
import { processOf } from "../support/room-world.ts";

/** A process whose turn among those of its machine is the first. */
const SELF = { ...processOf("self"), pid: 20 };
const DEAD = processKey(processOf("dead"));

class Register implements HostRegister {
  readonly calls: string[] = [];
  readonly notes = new Set<string>();
  heardMsAgo = 0;
  /** How long the next call takes, and where it fails. */
  next: { readonly lastsMs?: number; readonly fails?: "before" | "after" } = {};

  async begin(): Promise<readonly string[]> {
    await this.#run("begin", () => this.notes.add(processKey(SELF)));
    return [...this.notes].filter((key) => key !== processKey(SELF));
  }

  async renew(): Promise<number | null> {
    await this.#run("renew", () => undefined);
    return this.notes.has(processKey(SELF)) ? this.heardMsAgo : null;
  }

  end(_: unknown, keys: readonly string[]): Promise<void> {
    return this.#run("end", () => keys.forEach((key) => this.notes.delete(key)));
  }

  read = async () => [];

  async #run(name: string, work: () => unknown): Promise<void> {
    this.calls.push(name);
    const { lastsMs = 0, fails } = this.next;
    this.next = {};
    if (lastsMs > 0) await new Promise((resolve) => setTimeout(resolve, lastsMs));
    if (fails === "before") throw new Error("away");
    work();
    if (fails === "after") throw new Error("its answer was lost");
  }
}

const elapse = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function open() {
  const register = new Register();
  const probe = { self: () => SELF, verdict: () => "gone" } as unknown as ProcessProbe;
  return { register, presence: new HostPresence(register, probe, "laptop") };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a process that stays", () => {
  test("is noted after a second, renews, and is not noted when it ends", async () => {
    const { register, presence } = open();
    presence.hold()();
    await elapse(5000);
    expect(register.calls).toEqual([]);
    const letGo = presence.hold();
    await elapse(1000 + 21_000);
    expect(register.calls).toEqual(["begin", "renew", "renew"]);
    letGo();
    await elapse(60_000);
    expect(register.calls).toEqual(["begin", "renew", "renew", "end"]);
    expect(register.notes.size).toBe(0);
  });

  test("removes the notes of processes that have died", async () => {
    const { register, presence } = open();
    register.notes.add(DEAD);
    presence.hold();
    await elapse(1000);
    expect([...register.notes]).toEqual([processKey(SELF)]);
  });

  test("comes again as soon as the renewal of another process is old", async () => {
    const { register, presence } = open();
    presence.hold();
    await elapse(1000 + 10_000);
    register.heardMsAgo = 7500;
    await elapse(10_000);
    expect(register.calls).toEqual(["begin", "renew", "renew"]);
    await elapse(2500);
    expect(register.calls).toHaveLength(4);
  });

  test("is noted again if its note was lost", async () => {
    const { register, presence } = open();
    presence.hold();
    await elapse(1000);
    register.notes.clear();
    await elapse(10_000);
    expect(register.calls).toEqual(["begin", "renew", "begin"]);
    expect(register.notes.size).toBe(1);
  });
});

describe("a note that nobody renews does not stay", () => {
  test("if the wait ends while an earlier end is under way", async () => {
    const { register, presence } = open();
    const first = presence.hold();
    await elapse(1000);
    register.next = { lastsMs: 3000 };
    first();
    await elapse(500);
    const second = presence.hold();
    await elapse(1500);
    second();
    await elapse(60_000);
    expect(register.calls).toEqual(["begin", "end"]);
    expect(register.notes.size).toBe(0);
  });

  test("if its end fails", async () => {
    const { register, presence } = open();
    const letGo = presence.hold();
    await elapse(1000);
    register.next = { fails: "before" };
    letGo();
    await elapse(60_000);
    expect(register.calls).toEqual(["begin", "end", "end"]);
    expect(register.notes.size).toBe(0);
  });

  test("if the answer of its beginning was lost", async () => {
    const { register, presence } = open();
    const letGo = presence.hold();
    register.next = { fails: "after" };
    await elapse(1000);
    letGo();
    await elapse(60_000);
    expect(register.calls).toEqual(["begin", "end"]);
    expect(register.notes.size).toBe(0);
  });

  test("if the store is closed, and then nothing is tried again", async () => {
    const { register, presence } = open();
    presence.hold();
    await elapse(1000);
    register.next = { fails: "before" };
    await presence.close();
    await elapse(60_000);
    expect(register.calls).toEqual(["begin", "end"]);
  });
});

test("a wait that begins right after another one ends needs no new note", async () => {
  const { register, presence } = open();
  const first = presence.hold();
  await elapse(1000);
  first();
  presence.hold();
  await elapse(1000);
  expect(register.calls).toEqual(["begin", "renew"]);
});
