import { beforeEach, describe, expect, test } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { enqueue } from "../../src/mail/mailbox-protocol/enqueue.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { accepted } from "../support/service-world.ts";
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
  test("raises the flag of its recipient, which stays up until the model has gone on with it", async () => {
    const messageId = await service.send("codex:bob", S, "hello");
    expect(service.flags).toEqual(new Set([S]));
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["hello"]);
    expect(service.flags).toEqual(new Set([S]));
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "in_flight", attempts: [{ outcome: "shown" }] });
    expect(await service.hook("pre-tool", S)).toBe("");
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
    await service.hook("stop", S);
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

  test("that does not fit stays, comes with the next hooks, and each says what is left", async () => {
    for (const start of ["a", "b", "c"]) await service.send("codex:bob", S, long(start));
    const first = await service.hook("pre-tool", S);
    expect(bodies(first)).toEqual([long("a")]);
    expect(first).toContain("[2 more messages in your mailbox: they come with your next tool call");
    expect(service.flags).toEqual(new Set([S]));
    const second = await service.hook("pre-tool", S);
    expect(bodies(second)).toEqual([long("b")]);
    expect(second).toContain("[1 more message in your mailbox");
    const last = await service.hook("stop", S);
    expect(bodies(last)).toEqual([long("c")]);
    expect(last).not.toContain("in your mailbox:");
    await service.hook("stop", S, { stopHookActive: true });
    await service.hook("prompt", S);
    expect(service.flags).toEqual(new Set());
  });

  test("of sixty senders' worth comes whole, a portion with each tool", async () => {
    const small = new HookService({ hookMaxChars: 1500, sendRatePerMin: 0 });
    await small.peer("codex:bob");
    await small.hook("session-start", S);
    await small.hook("prompt", S);
    const sent = Array.from({ length: 60 }, (_, index) => `message ${index} `.padEnd(200, "."));
    for (const body of sent) await small.send("codex:bob", S, body);
    const seen: string[] = [];
    for (let hooks = 0; hooks < 60 && small.flags.has(S); hooks += 1) {
      const said = await small.hook("pre-tool", S);
      seen.push(...bodies(said));
      const left = sent.length - seen.length;
      if (said !== "" && left > 0) expect(said).toContain(`[${left} more message`);
    }
    expect(seen).toEqual(sent);
  });

  test("that can never fit is named once and taken by nobody but its reader", async () => {
    const messageId = await service.send("codex:bob", S, "\n".repeat(8000));
    await service.send("gemini:cy", S, "short");
    const said = await service.hook("pre-tool", S);
    expect(bodies(said)).toEqual(["short"]);
    expect(said).toContain("[1 more message in your mailbox: read it with read_my_messages]");
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
    await service.hook("stop", S);
    expect(service.flags).toEqual(new Set());
  });

  test("that follows with the prompt which a hook begins is not said to be elsewhere", async () => {
    await service.send("codex:bob", S, "hello");
    const said = await service.hook("stop", S, { mailFollows: true });
    expect(said).toBe("[1 message in your mailbox: if this prompt does not show it, read it with read_my_messages]");
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
    service.deps = { ...deps, store: afterRead(read, async () => void deps.flags.raise([S])) };
    expect(bodies(await service.hook("pre-tool", S))).toEqual(["first"]);
    service.deps = deps;
    // It is up in any case until the message is settled.
    expect(service.flags.has(S)).toBe(true);
    expect(await service.hook("pre-tool", S)).toBe("");
    expect(await service.hook("pre-tool", S)).toBe("");
    expect(service.flags.has(S)).toBe(false);
  });
});

const trace = async (messageId: string) =>
  (await service.deliveryOf(messageId))?.attempts.map(({ outcome }) => outcome);

/** A message that the hook of the running turn has shown. */
async function shown(): Promise<string> {
  const messageId = await service.send("codex:bob", S, "hello");
  expect(bodies(await service.hook("post-tool", S))).toEqual(["hello"]);
  return messageId;
}

describe("mail that was shown", () => {
  test("comes again with the next prompt when the turn broke off, and says so", async () => {
    const messageId = await shown();
    const again = await service.hook("prompt", S);
    expect(bodies(again)).toEqual(["hello"]);
    expect(again).toContain("shown before");
    expect(await trace(messageId)).toEqual(["given_back", "shown"]);
  });

  test.each([
    ["turn-broken", {}],
    ["session-start", { source: "compact" }],
    ["session-start", { source: "resume" }],
    ["stop", { sign: { event: "broke_off", turn: "turn-1" } }],
  ] as const)("is given back at %s %j without a word, and the flag stays up", async (event, more) => {
    const messageId = await shown();
    const said = await service.hook(event, S, more);
    expect(bodies(said)).toEqual([]);
    expect(await trace(messageId)).toEqual(["given_back"]);
    expect(service.flags).toEqual(new Set([S]));
    expect(bodies(await service.hook("prompt", S))).toEqual(["hello"]);
  });

  test("is not shown again, nor is anything else, when text is typed into the turn", async () => {
    const messageId = await shown();
    await service.send("codex:bob", S, "second");
    const sign = { event: "prompted", turn: "turn-1" } as const;
    expect(await service.hook("prompt", S, { sign })).toBe("");
    expect(await trace(messageId)).toEqual(["shown"]);
    expect(bodies(await service.hook("post-tool", S))).toEqual(["second"]);
    expect(await trace(messageId)).toEqual(["acked"]);
  });

  test("is not settled by a subagent's hooks", async () => {
    const messageId = await shown();
    for (const event of ["pre-tool", "post-tool", "stop"] as const) await service.hook(event, S, { isSubagent: true });
    expect(await trace(messageId)).toEqual(["shown"]);
  });

  test("and broke three turns is only named from then on, and holds no session", async () => {
    const messageId = await shown();
    for (let turn = 0; turn < 2; turn += 1) expect(bodies(await service.hook("prompt", S))).toEqual(["hello"]);
    const stub = await service.hook("prompt", S);
    expect(bodies(stub)).toEqual([]);
    expect(stub).toBe("[1 message in your mailbox: read it with read_my_messages]");
    expect((await service.deliveryOf(messageId))?.state).toBe("pending");
    expect(service.flags).toEqual(new Set());
    expect(await service.hook("stop", S)).toBe("");
  });

  test("wakes nobody after a person stopped the turn, but newer mail does", async () => {
    await service.send("codex:bob", S, "urgent", true);
    await service.hook("post-tool", S);
    await service.hook("turn-broken", S);
    const { pendingWake } = await import("../../src/mail/rules/batch.ts");
    const { batchNow } = await import("../../src/mail/claim-wake.ts");
    const pending = async () => pendingWake(await batchNow(service.deps, service.caller(S).agentId));
    expect(await pending()).toBeNull();
    await service.send("codex:bob", S, "more urgent", true);
    expect(await pending()).not.toBeNull();
  });

  test("is shown by no other door, and not counted as unread", async () => {
    const messageId = await shown();
    const { takeMessages } = await import("../../src/mail/take-messages.ts");
    const taken = accepted(await takeMessages(service.deps, service.caller(S), {}));
    expect(taken.answer).toMatchObject({ count: 0, remaining: 0 });
    expect(await trace(messageId)).toEqual(["shown"]);
  });

  test("ends the turn as idle where it broke off, so that senders are told the truth", async () => {
    await shown();
    await service.hook("turn-broken", S);
    const { project } = accepted(await service.deps.workspace.locate(service.tree));
    const [row] = await service.deps.store.readSessions(project);
    expect(row).toMatchObject({ activity: { state: "idle" } });
  });
});

describe("a subagent that reads the mailbox", () => {
  test("gets the text and takes nothing: the main agent is shown it too", async () => {
    const messageId = await service.send("codex:bob", S, "hello");
    const { takeMessages } = await import("../../src/mail/take-messages.ts");
    const main = service.caller(S);
    const facts = { ...main.facts, isSubagent: true } as NonNullable<typeof main.facts>;
    const taken = accepted(await takeMessages(service.deps, { ...main, facts }, {}));
    await taken.confirm();
    expect(taken.answer).toMatchObject({
      count: 1,
      messages: [{ body: "hello" }],
      note: expect.stringContaining("subagent"),
    });
    expect(await service.deliveryOf(messageId)).toMatchObject({ state: "pending", attempts: [] });
    expect(bodies(await service.hook("post-tool", S))).toEqual(["hello"]);
  });

  test("is known to the server by the use of a tool that its hook told of", async () => {
    const { subagents } = service.deps;
    await service.hook("pre-tool", S, { isSubagent: true, toolUse: "toolu_1" });
    await service.hook("pre-tool", S, { toolUse: "toolu_2" });
    expect([subagents.wasUse("toolu_1"), subagents.wasUse("toolu_1"), subagents.wasUse("toolu_2")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
