import { beforeEach, describe, expect, test } from "vitest";
import { asAgentId, asRoomId } from "../../../src/domain/ids.ts";
import { enqueue } from "../../../src/service/mailbox/enqueue.ts";
import { createTalkingStick } from "../../../src/service/talking-stick.ts";
import { accepted } from "../../support/service-world.ts";
import { HookService } from "./hook-service.ts";

const S = "session-1";
let service: HookService;

beforeEach(async () => {
  service = new HookService();
  await service.peer("codex:bob");
  await service.hook("session-start", S);
  await service.hook("prompt", S);
});

/** What is between the frames. */
function bodies(said: string): string[] {
  return [...said.matchAll(/^ {2}(.*)$/gm)].map(([, line = ""]) => line);
}

const long = (start: string) => start + "x".repeat(5000);

describe("mail through a hook", () => {
  test("raises the flag of its recipient, and is gone with it", async () => {
    const messageId = await service.send("codex:bob", S, "hello");
    expect(service.flags).toEqual(new Set([S]));
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["hello"]);
    expect(service.flags).toEqual(new Set());
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "acked" });
  });

  test("raises it also if the mailbox protocol wrote to a former name of its session", async () => {
    const former = asAgentId("claude:before");
    const { roomId } = await service.peer(former);
    const merged = createTalkingStick(service.deps, { ...service.caller(S), formerId: former });
    accepted(await merged.joinPath({ contextPath: service.tree }));
    const letter = { msgId: "1", from: asAgentId("boss"), to: former, payload: "report", createdAtSecs: null };
    accepted(await enqueue(service.deps, asRoomId(roomId), letter));
    expect(service.flags).toEqual(new Set([S]));
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["report"]);
  });

  test("is not acknowledged before it has left the process, and comes again under the same id", async () => {
    const messageId = await service.send("codex:bob", S, "hello");
    const first = await service.ask("pre-tool", S);
    expect(bodies(first.context ?? "")).toEqual(["hello"]);
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "in_flight" });
    expect(service.flags).toEqual(new Set([S]));
    expect(await service.hook("pre-tool", S)).toBe("");
    expect(service.flags).toEqual(new Set([S]));
    service.world.nowMs += 60_000;
    expect(await service.hook("pre-tool", S)).toContain(`reply_to_message ${messageId}`);
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "acked", attempts: [{ n: 1 }, { n: 2 }] });
    expect(service.flags).toEqual(new Set());
  });

  test("comes in order, an interrupt with what is older of its sender first", async () => {
    await service.send("codex:bob", S, "b1");
    await service.send("gemini:cy", S, "c1");
    await service.send("gemini:cy", S, "c2", true);
    await service.send("codex:bob", S, "b2");
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["c1", "c2", "b1", "b2"]);
  });

  test("that does not fit stays, is named once, and comes at the end of the turn", async () => {
    for (const start of ["a", "b", "c"]) await service.send("codex:bob", S, long(start));
    const first = await service.hook("pre-tool", S);
    expect(bodies(first)).toEqual([long("a")]);
    expect(first).toContain("[2 more messages in your mailbox: get them with read_my_messages]");
    expect(service.flags).toEqual(new Set());
    expect(bodies(await service.hook("stop", S))).toEqual([long("b")]);
    expect(bodies(await service.hook("prompt", S))).toEqual([long("c")]);
  });

  test("that can never fit is named once and taken by nobody but its reader", async () => {
    const messageId = await service.send("codex:bob", S, "\n".repeat(8000));
    await service.send("gemini:cy", S, "short");
    const said = await service.hook("pre-tool", S);
    expect(bodies(said)).toEqual(["short"]);
    expect(said).toContain("[1 more message in your mailbox: get it with read_my_messages]");
    for (const event of ["pre-tool", "prompt", "stop"] as const) expect(await service.hook(event, S)).toBe("");
    expect(service.flags).toEqual(new Set());
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "pending", attempts: [] });
    await service.send("gemini:cy", S, "another");
    expect(await service.hook("pre-tool", S)).not.toContain("did not fit");
  });

  test("that one of several hooks at once has shown is not said by the others to be in the mailbox", async () => {
    await service.send("codex:bob", S, "hello");
    const said = await Promise.all([1, 2, 3].map(() => service.hook("pre-tool", S)));
    expect(said.filter((text) => text !== "").map(bodies)).toEqual([["hello"]]);
    expect(service.flags).toEqual(new Set());
  });

  test("that follows with the prompt which a hook begins is not said to be elsewhere", async () => {
    await service.send("codex:bob", S, "hello");
    const said = await service.hook("stop", S, { mailFollows: true, maxCharacters: 1 });
    expect(said).toBe("[1 message in your mailbox: what is not shown with this prompt, get with read_my_messages]");
    expect(bodies(await service.hook("prompt", S))).toEqual(["hello"]);
  });

  test("keeps to the room's budget as it is set", async () => {
    const small = new HookService({ hookMaxChars: 600 });
    await small.peer("codex:bob");
    await small.hook("session-start", S);
    for (const body of ["one", "two", "three"]) await small.send("codex:bob", S, body.padEnd(150, "."));
    const said = await small.hook("pre-tool", S);
    expect(said.length).toBeLessThanOrEqual(600);
    expect(bodies(said).length).toBeGreaterThan(0);
  });

  test("is not taken where the harness would not show it", async () => {
    const messageId = await service.send("codex:bob", S, "hello");
    expect(await service.hook("pre-tool", S, { maxCharacters: 0 })).toBe("");
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "pending", attempts: [] });
    expect(service.flags).toEqual(new Set([S]));
  });

  test("is not taken by a hook whose time is almost over, and waits for the next one", async () => {
    const messageId = await service.send("codex:bob", S, "hello");
    const { deps } = service;
    service.deps = { ...deps, leftMs: () => 199 };
    service.flags.clear();
    for (const event of ["prompt", "pre-tool", "stop"] as const) expect(await service.hook(event, S)).toBe("");
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "pending", attempts: [] });
    expect(service.flags).toEqual(new Set([S]));
    service.deps = deps;
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["hello"]);
  });

  test("is neither shown to a subagent nor lost by its hooks", async () => {
    await service.send("codex:bob", S, "hello");
    for (const event of ["pre-tool", "prompt", "stop"] as const) {
      expect(await service.hook(event, S, { isSubagent: true })).toBe("");
    }
    expect(service.flags).toEqual(new Set([S]));
  });

  test("whose time to live is over is not shown", async () => {
    await service.send("codex:bob", S, "too late");
    service.world.nowMs += 8 * 24 * 3_600_000;
    await service.send("codex:bob", S, "in time");
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["in time"]);
  });
});

/** Does something else right after the n-th read of the mailbox. */
function afterRead(count: number, work: () => Promise<unknown>): HookService["deps"]["store"] {
  const { store } = service.deps;
  let reads = 0;
  const readMailbox: typeof store.readMailbox = async (...words) => {
    const seen = await store.readMailbox(...words);
    reads += 1;
    if (reads === count) await work();
    return seen;
  };
  const bound = (value: unknown) => (typeof value === "function" ? (value.bind(store) as unknown) : value);
  return new Proxy(store, {
    get: (target, name) => (name === "readMailbox" ? readMailbox : bound(Reflect.get(target, name))),
  });
}

describe("a sender in between", () => {
  const reads = [1, 2, 3, 4, 5];
  const cases = reads.flatMap((read) => [[read, []] as const, [read, ["first"]] as const]);

  test.each(cases)("after read %i, with %j there already: nothing is left without a flag", async (read, already) => {
    for (const body of already) await service.send("codex:bob", S, body);
    service.flags.add(S);
    const { deps } = service;
    let isSent = false;
    const store = afterRead(read, async () => {
      service.deps = deps;
      await service.send("codex:bob", S, "second");
      isSent = true;
    });
    service.deps = { ...deps, store };
    const said = bodies(await service.hook("pre-tool", S));
    service.deps = deps;
    if (isSent && !said.includes("second")) expect(service.flags.has(S)).toBe(true);
    const later = isSent && service.flags.has(S) ? bodies(await service.hook("pre-tool", S)) : [];
    expect([...said, ...later]).toEqual([...already, ...(isSent ? ["second"] : [])]);
  });

  test.each(reads)("after read %i, who has no mail: the flag that it raised stays up", async (read) => {
    await service.send("codex:bob", S, "first");
    const { deps } = service;
    let isRaised = false;
    service.deps = {
      ...deps,
      store: afterRead(read, async () => {
        deps.flags.raise([S]);
        isRaised = true;
      }),
    };
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["first"]);
    service.deps = deps;
    expect(service.flags.has(S)).toBe(isRaised);
    expect(await service.hook("pre-tool", S)).toBe("");
    expect(service.flags.has(S)).toBe(false);
  });
});
