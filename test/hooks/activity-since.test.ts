/** Since when a session is at work or idle, as its hooks tell. The newest news counts, so each turn has a time of its own. */
import { beforeEach, expect, test } from "vitest";
import { HookService } from "./hook-service.ts";

const SESSION = "session-old";
let service: HookService;

beforeEach(() => {
  service = new HookService();
});

async function sinceOf(): Promise<number> {
  const [row] = await service.deps.store.findSessions(SESSION);
  return Date.parse(row?.activity.since ?? "");
}

function later(): number {
  service.world.nowMs += 1000;
  return service.world.nowMs;
}

test("a prompt begins a turn, also if no hook told that its user stopped the one before", async () => {
  await service.hook("prompt", SESSION);
  const nowMs = later();
  await service.hook("prompt", SESSION);
  expect(await sinceOf()).toBe(nowMs);
});

test.each(["stop", "turn-broken"] as const)("%s ends one, also if no hook told of its prompt", async (event) => {
  await service.hook("session-start", SESSION);
  const nowMs = later();
  await service.hook(event, SESSION);
  expect(await sinceOf()).toBe(nowMs);
});
