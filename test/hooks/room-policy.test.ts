/** What hooks go by is the policy of the room, and not what this process would give to a new one. */
import { beforeEach, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { Policy } from "../../src/core/policy.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted } from "../support/service-world.ts";
import { idOf } from "../support/session-clues.ts";
import { HookService } from "./hook-service.ts";

const OLD = "aaaaaaaa-1111-4111-8111-111111111111";
const NEW = "bbbbbbbb-2222-4222-8222-222222222222";

let service: HookService;
beforeEach(() => {
  service = new HookService();
});

/** A room with an agent without hooks, that goes by other rules than a new one would. */
async function roomWith(changes: Partial<Policy>) {
  const { roomId } = await service.peer("codex:bob");
  const person = createTalkingStick(service.deps, agentCalled("human:ann", { person: true }));
  accepted(await person.changePolicy({ roomId, changes }));
  return { person, roomId };
}

test("hook_max_chars: a room that allows less is shown less", async () => {
  await roomWith({ hookMaxChars: 500 });
  await service.hook("session-start", OLD);
  await service.send("codex:bob", OLD, `begin ${"x".repeat(1000)} end`);
  const said = await service.hook("prompt", OLD);
  expect(said).not.toContain("x".repeat(100));
  expect(said.length).toBeLessThanOrEqual(500);
  expect(said).toContain("read_my_messages");
});

test("gone_grace_ms: a patient room lets a session be followed later", async () => {
  await roomWith({ goneGraceMs: 60_000 });
  await service.hook("session-start", OLD);
  await service.hook("session-end", OLD, { reason: "clear" });
  service.world.nowMs += 30_000;
  await service.hook("session-start", NEW, { source: "clear", process: OLD });
  const present = await service.deps.store.resolveAlias(asAgentId(idOf("claude", OLD)));
  expect(present).toBe(idOf("claude", NEW));
});

test("owner_idle_ms: an impatient room takes a silent session of a shared process for idle sooner", async () => {
  const { person, roomId } = await roomWith({});
  service.deps = {
    ...service.deps,
    activity: { lastSign: (id) => (id === OLD ? { epoch: "boot-1", ms: service.world.nowMs - 5000 } : null) },
  };
  await service.hook("session-start", OLD, { process: null });
  await service.hook("prompt", OLD, { process: null });
  const seen = async () => {
    const { stick: bob } = await service.peer("codex:bob");
    const sent = accepted(await bob.sendMessage({ roomId, to: idOf("claude", OLD), body: "hello" }));
    return sent.deliveries[0]?.willBeSeen;
  };
  expect(await seen()).toBe("next_tool_call");
  accepted(await person.changePolicy({ roomId, changes: { ownerIdleMs: 1000 } }));
  expect(await seen()).not.toBe("next_tool_call");
});
