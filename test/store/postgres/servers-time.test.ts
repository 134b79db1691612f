import { expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import type { Clock } from "../../../src/engine/ports/clock.ts";
import { newSession } from "../../../src/session/rules/session.ts";
import { openMemoryStore } from "../../../src/store/memory/store.ts";
import { onServersTime } from "../../../src/store/postgres/servers-time.ts";

const TEN_MINUTES = 600_000;

const clockAt = (wallMs: number): Clock => ({
  now: () => ({ instant: { epoch: "boot", ms: 5000 }, suspendedMs: 0, wallMs }),
});

test("a machine whose clock is ten minutes behind tells ages by the server's clock", async () => {
  const server = openMemoryStore({ clock: clockAt(1_000_000_000) });
  const { store, clock } = onServersTime(server, clockAt(1_000_000_000 - TEN_MINUTES));
  expect(clock.now().wallMs).toBe(1_000_000_000 - TEN_MINUTES);
  await store.readRooms({});
  expect(clock.now()).toEqual({ instant: { epoch: "boot", ms: 5000 }, suspendedMs: 0, wallMs: 1_000_000_000 });
  expect(await store.readRoom("none" as never)).toBeNull();
});

test("the row of a session is dated by the server's clock at once, and that clock is known from then on", async () => {
  const server = openMemoryStore({ clock: clockAt(1_000_000_000) });
  const { store, clock } = onServersTime(server, clockAt(1_000_000_000 - TEN_MINUTES));
  expect(clock.aheadMs).toBe(0);
  const key = { agentId: asAgentId("gemini:1"), project: "/tree" };
  let told = 0;
  await store.changeSession(key, (known, now) => {
    told = now().wallMs;
    return known ?? newSession(key, "gemini");
  });
  expect(told).toBe(1_000_000_000);
  expect(clock.aheadMs).toBe(TEN_MINUTES);
});
