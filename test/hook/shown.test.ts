/** What a hook has shown is acknowledged when the model goes on, and comes again when the harness threw it away. */
import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/hooks/rules/hook.ts";
import type { Payload } from "./support/hook-world.ts";
import { bodyIn } from "./support/said.ts";
import { ShownMail } from "./support/shown-mail.ts";

const SILENT = { code: 0, stdout: "", stderr: "" };
const SUBAGENT = { agent_id: "agent-1", agent_type: "Explore" };

describe.each([
  ["claude", "post-tool"],
  ["codex", "pre-tool"],
] as const)("%s", (harness, event) => {
  test.each(["pre-tool", "post-tool", "stop"] as const)("a later %s of the turn acknowledges it", async (later) => {
    const mail = await ShownMail.open(harness, event);
    expect(await mail.hook(later)).toMatchObject(SILENT);
    expect(await mail.outcomes()).toEqual(["acked"]);
    expect(await mail.hook("prompt")).toMatchObject(SILENT);
    expect(mail.isFlagUp).toBe(false);
  });

  test("the prompt of another turn shows it again, and says so", async () => {
    const mail = await ShownMail.open(harness, event);
    const again = await mail.hook("prompt");
    expect(bodyIn(again.said)).toBe("hello");
    expect(again.said).toContain(", shown before]");
    expect(again.said).toContain(`reply_to_message ${mail.messageId}`);
    expect(await mail.outcomes()).toEqual(["given_back", "shown"]);
    await mail.hook("stop");
    expect(await mail.outcomes()).toEqual(["given_back", "acked"]);
  });

  test("a tool of another turn, whose prompt was not told of, gives it back", async () => {
    const mail = await ShownMail.open(harness, event);
    const turn = { prompt_id: "untold", turn_id: "untold" };
    const again = await mail.hook(event, turn);
    expect(bodyIn(again.said)).toBe("hello");
    expect(await mail.outcomes()).toEqual(["given_back", "shown"]);
    await mail.hook("stop", turn);
    expect(await mail.outcomes()).toEqual(["given_back", "acked"]);
  });

  test("text that is typed into the turn settles nothing and shows nothing", async () => {
    const mail = await ShownMail.open(harness, event);
    await mail.send("second");
    expect(await mail.typeIntoTurn()).toMatchObject(SILENT);
    expect(await mail.outcomes()).toEqual(["shown"]);
    expect(bodyIn((await mail.hook(event)).said)).toBe("second");
    expect(await mail.outcomes()).toEqual(["acked"]);
  });

  test("a subagent settles nothing", async () => {
    const mail = await ShownMail.open(harness, event);
    for (const one of ["prompt", "pre-tool", "post-tool", "stop", "turn-broken", "session-end"] as const) {
      expect(await mail.hookInTurn(one, SUBAGENT)).toMatchObject(SILENT);
    }
    expect(await mail.outcomes()).toEqual(["shown"]);
    expect(mail.isFlagUp).toBe(true);
  });

  // Claude Code: StopFailure. Codex: Interrupt.
  test("a turn that breaks off gives it back, and the session is idle", async () => {
    const mail = await ShownMail.open(harness, event);
    expect(await mail.activity()).toBe("busy");
    expect(await mail.hook("turn-broken", { last_assistant_message: "API Error: 500" })).toMatchObject(SILENT);
    expect(await mail.outcomes()).toEqual(["given_back"]);
    expect(await mail.activity()).toBe("idle");
    expect(mail.isFlagUp).toBe(true);
    expect(bodyIn((await mail.hook("prompt")).said)).toBe("hello");
  });

  test.each<[HookEvent, Payload]>([
    ["session-start", { source: "compact" }],
    ["session-start", { source: "resume" }],
    ["session-end", { reason: "other" }],
  ])("%s %j gives it back", async (boundary, more) => {
    const mail = await ShownMail.open(harness, event);
    await mail.hook(boundary, more);
    expect(await mail.outcomes()).toEqual(["given_back"]);
  });

  test("three turns that broke off are enough: then it is only named, once", async () => {
    const mail = await ShownMail.open(harness, event);
    for (const _ of [2, 3]) expect(bodyIn((await mail.hook("prompt")).said)).toBe("hello");
    const stub = await mail.hook("prompt");
    expect(stub.said).toBe("[1 message in your mailbox: read it with read_my_messages]");
    expect(await mail.outcomes()).toEqual(["given_back", "given_back", "given_back"]);
    expect(mail.isFlagUp).toBe(false);
    expect(await mail.hook("stop")).toMatchObject(SILENT);
  });

  test("what is above the budget comes with each later tool, and every text counts what is left", async () => {
    const mail = await ShownMail.open(harness, event);
    await mail.hook(event);
    const bodies = ["a", "b", "c"].map((start) => start.repeat(5000));
    for (const body of bodies) await mail.send(body);
    const said = [await mail.hook(event), await mail.hook(event), await mail.hook(event)].map((one) => one.said);
    expect(said.map((text) => bodies.findIndex((body) => text.includes(body)))).toEqual([0, 1, 2]);
    const lines = said.map((text) => /^\[\d+ more.*$/m.exec(text)?.[0] ?? "");
    expect(lines).toEqual([
      "[2 more messages in your mailbox: they come with your next tool call, or read them with read_my_messages]",
      "[1 more message in your mailbox: it comes with your next tool call, or read it with read_my_messages]",
      "",
    ]);
    expect(mail.isFlagUp).toBe(true);
    await mail.hook("stop");
    expect(mail.isFlagUp).toBe(false);
  });
});

test("codex: a stop without an answer gives it back, lets no turn go on, and the session is idle", async () => {
  const mail = await ShownMail.open("codex", "pre-tool");
  await mail.send("second");
  expect(await mail.hook("stop", { last_assistant_message: null })).toMatchObject(SILENT);
  expect(await mail.outcomes()).toEqual(["given_back"]);
  expect(await mail.activity()).toBe("idle");
});

test("claude: what was shown at the end of a turn is acknowledged by the end of what went on", async () => {
  const mail = await ShownMail.open("claude", "stop");
  expect(await mail.activity()).toBe("busy");
  expect(await mail.hook("stop", { stop_hook_active: true })).toMatchObject(SILENT);
  expect(await mail.outcomes()).toEqual(["acked"]);
  expect(await mail.activity()).toBe("idle");
});

test("what was given back is read at another door, which says that it was shown before", async () => {
  const mail = await ShownMail.open("claude", "post-tool");
  const read = () => mail.tt("msg recv --json");
  expect(JSON.parse((await read()).stdout)).toMatchObject({ messages: [] });
  await mail.hook("turn-broken");
  expect(JSON.parse((await read()).stdout)).toMatchObject({ messages: [{ body: "hello", shown_before: true }] });
  expect(await mail.outcomes()).toEqual(["given_back", "acked"]);
});

test("the trace tells a person that it was shown, and what became of that", async () => {
  const mail = await ShownMail.open("claude", "post-tool");
  const plain = async () => (await mail.trace()).replaceAll(/\s+/g, " ");
  expect(await plain()).toMatch(/attempt 1 by hook:claude:post-tool, .*, shown; acknowledged when the agent goes on/);
  await mail.hook("turn-broken");
  expect(await plain()).toMatch(/put back: shown, but the turn was interrupted before the model went on/);
});
