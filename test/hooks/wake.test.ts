/** A plugin inside a harness asks whether an idle session of its is to be woken. */
import { beforeEach, describe, expect, test } from "vitest";
import { processOf } from "../support/room-world.ts";
import { HookService } from "./hook-service.ts";

const S = "session-1";
const WOKEN = /^You have a message in the talking stick room \(number \d+, \d\d:\d\d:\d\d UTC\): read it with/;
/** One process serves many sessions, and the plugin in it can begin a turn. */
const INSIDE = { process: null, wakerPid: 4711 };
let service: HookService;

beforeEach(async () => {
  service = new HookService();
  service.deps = { ...service.deps, probe: { ...service.deps.probe, find: () => processOf("plugin") } };
  await service.peer("codex:bob");
  await service.hook("session-start", S, INSIDE);
  await service.hook("prompt", S, INSIDE);
  await service.hook("stop", S, { ...INSIDE, maxCharacters: 1 });
});

describe("an idle session", () => {
  test("is woken once for mail whose sender asks for it, which comes with the turn that begins", async () => {
    const messageId = await service.send("codex:bob", S, "hello", true);
    expect(await service.hook("wake", S, INSIDE)).toMatch(WOKEN);
    expect(await service.hook("wake", S, INSIDE)).toBe("");
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "pending" });
    expect(await service.hook("prompt", S, INSIDE)).toContain("hello");
    await service.hook("stop", S, { ...INSIDE, mailFollows: true });
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "acked" });
    await service.send("codex:bob", S, "again", true);
    expect(await service.hook("wake", S, INSIDE)).toMatch(WOKEN);
  });

  test("sleeps on without mail, or with mail that can wait", async () => {
    expect(await service.hook("wake", S, INSIDE)).toBe("");
    await service.send("codex:bob", S, "no hurry");
    expect(await service.hook("wake", S, INSIDE)).toBe("");
  });

  test("is not woken where waking is switched off, or by who is not inside", async () => {
    await service.send("codex:bob", S, "hello", true);
    expect(await service.hook("wake", S, { process: null })).toBe("");
    service.deps = { ...service.deps, wakeMode: "off" };
    expect(await service.hook("wake", S, INSIDE)).toBe("");
  });
});

test("at the end of a turn mail is named and not taken where it can only come with the next one", async () => {
  await service.hook("prompt", S, INSIDE);
  const messageId = await service.send("codex:bob", S, "hello");
  const said = await service.hook("stop", S, { ...INSIDE, maxCharacters: 1 });
  expect(said).toBe("[1 message in your mailbox: read it with read_my_messages]");
  expect(await service.deliveryOf(messageId)).toMatchObject({ state: "pending" });
});
