/** What hooks tell of a session: since when it is at work or idle. The newest news counts, so each turn has its own time. */
import { beforeEach, expect, test } from "vitest";
import type { Store } from "../../src/engine/ports/store.ts";
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

test("mail that comes while the end of a turn is noted goes on with the turn, and the session is busy", async () => {
  await service.peer("codex:bob");
  await service.hook("session-start", SESSION);
  await service.hook("prompt", SESSION);
  const { store } = service.deps;
  let isSent = false;
  const changeSession: Store["changeSession"] = async (...given) => {
    if (!isSent) {
      isSent = true;
      await service.send("codex:bob", SESSION, "hello");
    }
    return store.changeSession(...given);
  };
  service.deps = { ...service.deps, store: { ...store, changeSession } };
  expect(await service.hook("stop", SESSION)).toContain("hello");
  const [row] = await store.findSessions(SESSION);
  expect(row?.activity.state).toBe("busy");
});
