/** What hooks tell of a session: since when it is at work or idle. The newest news counts, so each turn has its own time. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/engine/ports/store.ts";
import type { HookDeps } from "../../src/hooks/hook-deps.ts";
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

async function stateOf(): Promise<string | undefined> {
  const [row] = await service.deps.store.findSessions(SESSION);
  return row?.activity.state;
}

/** From now on, this comes before each change of the session's row. */
function beforeNotes(happen: () => Promise<void>): void {
  const { store } = service.deps;
  const changeSession: Store["changeSession"] = async (...given) => {
    await happen();
    return store.changeSession(...given);
  };
  service.deps = { ...service.deps, store: { ...store, changeSession } };
}

function sendAtFirstNote(): void {
  let isSent = false;
  beforeNotes(async () => {
    if (isSent) return;
    isSent = true;
    await service.send("codex:bob", SESSION, "hello");
  });
}

describe("a turn that goes on for mail", () => {
  beforeEach(async () => {
    await service.peer("codex:bob");
    await service.hook("session-start", SESSION);
    await service.hook("prompt", SESSION);
  });

  test("is busy, although its end was noted before the mail came", async () => {
    sendAtFirstNote();
    expect(await service.hook("stop", SESSION)).toContain("hello");
    expect(await stateOf()).toBe("busy");
  });

  test("is busy, although the shell noted its end before the program looked", async () => {
    await service.hook("stop", SESSION);
    await service.send("codex:bob", SESSION, "hello");
    expect(await service.hook("stop", SESSION)).toContain("hello");
    expect(await stateOf()).toBe("busy");
  });

  test("says its mail, even if that it is busy can no longer be noted", async () => {
    sendAtFirstNote();
    let notes = 0;
    beforeNotes(async () => {
      notes += 1;
      if (notes > 1) throw new Error("the lock is held");
    });
    const { goOn, afterFlush } = await service.ask("stop", SESSION);
    expect(goOn).toContain("hello");
    await expect(afterFlush?.()).rejects.toThrow("the lock is held");
  });

  test("is idle if its text never left", async () => {
    sendAtFirstNote();
    await service.ask("stop", SESSION);
    expect(await stateOf()).toBe("idle");
  });
});

test("the end of a turn looks once, if the flag has not changed since", async () => {
  await service.peer("codex:bob");
  await service.hook("session-start", SESSION);
  await service.hook("prompt", SESSION);
  await service.send("codex:bob", SESSION, "hello");
  expect(await service.hook("post-tool", SESSION)).toContain("hello");
  expect(service.flags).toContain(SESSION);
  let looks = 0;
  const adviceNews: HookDeps["adviceNews"] = async () => {
    looks += 1;
    return { text: "", remember: () => undefined };
  };
  service.deps = { ...service.deps, adviceNews };
  await service.hook("stop", SESSION);
  expect(looks).toBe(1);
});
