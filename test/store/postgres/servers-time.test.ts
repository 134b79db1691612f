import { expect, test } from "vitest";
import type { Clock } from "../../../src/engine/ports/clock.ts";
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
