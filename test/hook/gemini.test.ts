/** The hooks of Gemini CLI, which says of no tool whether a subagent uses it, and has no names for turns. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HookWorld } from "./support/hook-world.ts";
import { bodyIn } from "./support/said.ts";
import { ShownMail } from "./support/shown-mail.ts";

const A = "11111111-aaaa-4aaa-8aaa-111111111111";
const B = "22222222-bbbb-4bbb-8bbb-222222222222";
const SILENT = { code: 0, stdout: "", stderr: "" };

/** A session at work, to which another one has written. */
async function written() {
  const world = new HookWorld();
  const [ann, bob] = [world.harness("gemini"), world.harness("gemini")];
  await ann.hook("session-start", A, { source: "startup" });
  await bob.hook("session-start", B, { source: "startup" });
  await ann.hook("prompt", A);
  await bob.tt("msg send gemini-2 hello --json", B);
  return { world, ann };
}

test("while subagents are at work nothing is shown; when the last has ended, its parent reads its mail", async () => {
  const { world, ann } = await written();
  expect(await ann.hook("subagent-start", A, { tool_name: "invoke_agent" })).toMatchObject(SILENT);
  expect(await ann.hook("subagent-start", A, { tool_name: "invoke_agent" })).toMatchObject(SILENT);
  expect(await ann.hook("post-tool", A, { tool_name: "read_file" })).toMatchObject(SILENT);
  expect(await ann.hook("subagent-end", A, { tool_name: "invoke_agent" })).toMatchObject(SILENT);
  expect(await ann.hook("post-tool", A, { tool_name: "read_file" })).toMatchObject(SILENT);
  expect(world.flagOf(A)).toBe(true);
  const ended = await ann.hook("subagent-end", A, { tool_name: "invoke_agent" });
  expect(bodyIn(ended.said)).toBe("hello");
  expect(JSON.parse(ended.stdout)).toMatchObject({ hookSpecificOutput: { hookEventName: "AfterTool" } });
  // It stays up until the message is settled.
  expect(world.flagOf(A)).toBe(true);
});

test.each(["prompt", "stop"] as const)("a subagent whose end was never told is over at the next %s", async (event) => {
  const { ann } = await written();
  await ann.hook("subagent-start", A, { tool_name: "invoke_agent" });
  expect(bodyIn((await ann.hook(event, A)).said)).toBe("hello");
});

const PROMPT = { type: "user", content: [{ text: "go" }] };
const ANSWER = { type: "gemini", content: "Done." };
const TOOL_CALL = { type: "gemini", content: "", toolCalls: [{ name: "read_file" }] };
const TOOL_RESULT = { type: "user", content: [{ functionResponse: { name: "read_file" } }] };
const CANCELLED = { type: "info", content: "Request cancelled." };
const TITLE = { $set: { summary: "going" } };
const REWRITTEN = { $set: { messages: [PROMPT, ANSWER] } };

/** As it is recorded, one record to a line. What hooks have shown stands in the records of the user. */
function recorded(
  mail: ShownMail,
  records: readonly object[],
  shown: readonly string[] = [mail.messageId],
): { readonly transcript_path: string } {
  const path = join(mail.world.root, "session.jsonl");
  const context = { text: `<hook_context>${shown.map((id) => `reply_to_message ${id}`).join(" ")}</hook_context>` };
  const lines = records.map((record) => JSON.stringify({ ...record, ...("type" in record && { context }) }));
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return { transcript_path: path };
}

describe("the end of a turn in which mail was shown", () => {
  test.each<[what: string, records: readonly object[]]>([
    ["with a whole answer", [PROMPT, TOOL_CALL, TOOL_RESULT, ANSWER]],
    ["with a whole answer, behind which stands something else", [PROMPT, ANSWER, TITLE]],
  ])("%s acknowledges it", async (_, records) => {
    const mail = await ShownMail.open("gemini", "post-tool");
    expect(await mail.hook("stop", recorded(mail, records))).toMatchObject(SILENT);
    expect(await mail.outcomes()).toEqual(["acked"]);
    expect(mail.isFlagUp).toBe(false);
    expect(await mail.activity()).toBe("idle");
  });

  test("with a whole answer gives back what the conversation does not hold: an earlier turn was taken back", async () => {
    const mail = await ShownMail.open("gemini", "prompt");
    const told = recorded(mail, [REWRITTEN, PROMPT, ANSWER], []);
    expect(await mail.hook("stop", told)).toMatchObject(SILENT);
    expect(await mail.outcomes()).toEqual(["given_back"]);
    expect(bodyIn((await mail.hook("prompt")).said)).toBe("hello");
  });

  test.each<[what: string, records: readonly object[]]>([
    ["without an answer", [PROMPT, ANSWER, PROMPT, CANCELLED]],
    ["without an answer to its tool", [PROMPT, TOOL_CALL, TOOL_RESULT, CANCELLED]],
    ["that was taken back", [PROMPT, ANSWER, PROMPT, CANCELLED, REWRITTEN]],
  ])("%s gives it back, whatever part of an answer there was", async (_, records) => {
    const mail = await ShownMail.open("gemini", "post-tool");
    const partly = { ...recorded(mail, records), prompt_response: "a part of an ans" };
    expect(await mail.hook("stop", partly)).toMatchObject(SILENT);
    expect(await mail.outcomes()).toEqual(["given_back"]);
    expect(await mail.activity()).toBe("idle");
    const again = await mail.hook("prompt");
    expect(bodyIn(again.said)).toBe("hello");
    expect(again.said).toContain(", shown before]");
  });

  test.each([
    ["is not there", () => undefined],
    ["ends in the middle of a record", (path: string) => appendFileSync(path, '{"type":"gemi')],
  ])("whose transcript %s leaves it as it is until the next prompt", async (_, spoil) => {
    const mail = await ShownMail.open("gemini", "post-tool");
    const path = join(mail.world.root, "session.jsonl");
    spoil(path);
    expect(await mail.hook("stop", { transcript_path: path })).toMatchObject(SILENT);
    expect(await mail.outcomes()).toEqual(["shown"]);
    expect(bodyIn((await mail.hook("prompt")).said)).toBe("hello");
    expect(await mail.outcomes()).toEqual(["given_back", "shown"]);
  });
});

test("the prompt that our own reason to go on begins does not give back what it quotes", async () => {
  const mail = await ShownMail.open("gemini", "post-tool");
  const second = await mail.send("second");
  const stopped = await mail.hook("stop", recorded(mail, [PROMPT, ANSWER]));
  expect(JSON.parse(stopped.stdout)).toMatchObject({ decision: "deny" });
  expect(bodyIn(stopped.said)).toBe("second");
  expect(await mail.outcomes()).toEqual(["acked"]);
  expect(await mail.hook("prompt", { prompt: stopped.said })).toMatchObject(SILENT);
  const ended = {
    ...recorded(mail, [PROMPT, ANSWER, PROMPT, ANSWER], [mail.messageId, second]),
    stop_hook_active: true,
  };
  expect(await mail.hook("stop", ended)).toMatchObject(SILENT);
  expect(await mail.hook("prompt")).toMatchObject(SILENT);
  expect(mail.isFlagUp).toBe(false);
});

test("a tool that its user stopped gives back what was shown, shows nothing, and the session is idle", async () => {
  const mail = await ShownMail.open("gemini", "post-tool");
  await mail.send("second");
  const tool_response = { llmContent: "Command was cancelled by user", returnDisplay: "Command cancelled by user." };
  expect(await mail.hook("post-tool", { tool_response })).toMatchObject(SILENT);
  expect(await mail.outcomes()).toEqual(["given_back"]);
  expect(await mail.activity()).toBe("idle");
  expect(mail.isFlagUp).toBe(true);
});

test("the end of another tool settles nothing: tools of one answer end one after the other", async () => {
  const mail = await ShownMail.open("gemini", "post-tool");
  expect(await mail.hook("post-tool", { tool_response: { returnDisplay: "ok" } })).toMatchObject(SILENT);
  expect(await mail.outcomes()).toEqual(["shown"]);
});
