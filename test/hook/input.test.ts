/** However a harness gives its payload, the whole of it is read, and no hook waits for more than it needs. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/hooks/rules/hook.ts";
import { type HarnessName, HookWorld } from "./support/hook-world.ts";
import { bodyIn } from "./support/said.ts";

const SESSION = "01a1de4f-f37c-7292-8a4a-8ad18c8e90ee";

type Way = "pipe" | "socket" | "file" | "socket that stays open";

/** Runs a hook in a shell of a kind, its payload given in a way. */
async function given(
  world: HookWorld,
  { way, payload, shell = "/bin/sh" }: { readonly way: Way; readonly payload: string; readonly shell?: string },
  [harness, event]: readonly [HarnessName, HookEvent],
): Promise<string> {
  const file = join(world.root, "payload");
  writeFileSync(file, payload);
  const hook = `${shell} ${world.script} ${harness} ${event}`;
  const lines: Readonly<Record<Way, string>> = {
    pipe: `cat ${file} | ${hook}`,
    file: `${hook} <${file}`,
    socket: hook,
    "socket that stays open": hook,
  };
  const env = { ...world.env(), CLAUDE_CODE_SESSION_ID: SESSION };
  const child = spawn("/bin/sh", ["-c", lines[way]], { cwd: world.tree, env });
  if (way.startsWith("socket")) child.stdin.write(payload);
  if (!way.endsWith("open")) child.stdin.end();
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  await new Promise((resolve) => {
    child.once("close", resolve);
  });
  return stdout;
}

/** The event after which, or before which, a harness shows mail. */
const TOOL_EVENTS = {
  claude: ["post-tool", "PostToolBatch"],
  codex: ["pre-tool", "PreToolUse"],
} as const;

/** A session with a message in its mailbox. */
async function withMail(harness: HarnessName): Promise<HookWorld> {
  const world = new HookWorld();
  await world.done("join", { as: "peer:1" });
  await world.harness(harness).hook("session-start", SESSION, { source: "startup" });
  await world.done(`msg send ${harness} hello --json`, { as: "peer:1" });
  return world;
}

function payloadIn(world: HookWorld, more: object = {}): string {
  return JSON.stringify({ session_id: SESSION, cwd: world.tree, ...more });
}

describe.each(["claude", "codex"] as const)("%s", (harness) => {
  test.each(["pipe", "socket", "file", "socket that stays open"] as const)("by a %s", async (way) => {
    const world = await withMail(harness);
    const [event, hookEventName] = TOOL_EVENTS[harness];
    const payload = payloadIn(world, { hook_event_name: hookEventName });
    const stdout = await given(world, { way, payload }, [harness, event]);
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { hookEventName } });
    expect(world.log).toBe("");
  });
});

describe("the first field of Codex's payload", () => {
  test.each<[what: string, shape: (world: HookWorld) => string]>([
    [
      "comes with a long command behind it",
      (world) => payloadIn(world, { tool_input: { command: "é".repeat(200_000) } }),
    ],
    ["comes after another one", (world) => JSON.stringify({ cwd: world.tree, session_id: SESSION })],
    ["comes on a line of its own", (world) => JSON.stringify(JSON.parse(payloadIn(world)), null, 2)],
    [
      "comes after letters that are cut in two",
      (world) => JSON.stringify({ x: "é".repeat(40), ...JSON.parse(payloadIn(world)) }),
    ],
  ])("%s", async (_, shape) => {
    const world = await withMail("codex");
    const stdout = await given(world, { way: "pipe", payload: shape(world) }, ["codex", "pre-tool"]);
    const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
    expect(bodyIn(hookSpecificOutput.additionalContext)).toBe("hello");
  });

  test.each([
    '{"session_id":"$(touch planted)"}',
    '{"session_id":"`touch planted`',
    '{"session_id":"\'; touch planted; \'"}',
  ])("is never run as a command: %s", async (payload) => {
    const world = await withMail("codex");
    expect(await given(world, { way: "pipe", payload }, ["codex", "pre-tool"])).toBe("");
    const { stdout } = await world.startProgram("find", [world.root, "-name", "planted"]).ended;
    expect(stdout).toBe("");
  });
});

test("a long payload that comes in many parts is read in time", async () => {
  const world = await withMail("claude");
  const payload = payloadIn(world, { tool_input: { content: "x".repeat(8_000_000) } });
  expect(await given(world, { way: "socket", payload }, ["claude", "post-tool"])).toContain("hello");
  expect(world.log).toBe("");
});

test("the script means the same to every shell that is here", async () => {
  for (const shell of ["dash", "bash --posix", "bash"]) {
    const world = await withMail("codex");
    const stdout = await given(world, { way: "pipe", payload: payloadIn(world), shell }, ["codex", "pre-tool"]);
    expect([shell, stdout]).toEqual([shell, expect.stringContaining("hello")]);
  }
});

describe("a payload that never comes", () => {
  const hooks = [
    ["claude", "session-start"],
    ["claude", "post-tool"],
    ["codex", "pre-tool"],
    ["codex", "stop"],
    ["gemini", "post-tool"],
  ] as const;
  const begun = `{"session_id":"${SESSION}","cwd":"/`.padEnd(100, "x");

  test.each(hooks)("is not waited for: %s %s", async (harness, event) => {
    const world = await withMail(harness);
    const id = { CLAUDE_CODE_SESSION_ID: SESSION, GEMINI_SESSION_ID: SESSION };
    await world.startProgram("mkfifo", [join(world.tree, "silent")]).ended;
    // A socket of Node's, and a pipe whose other end a program holds that says nothing. Promise H1 judges the time.
    const ways = [
      ["", ""],
      [begun, ""],
      ["", "exec 4<>silent; exec <&4; "],
    ] as const;
    const ends = ways.map(async ([start, redirection]) => {
      const env = { ...id, TT_HOOK_DEADLINE_MS: undefined };
      const line = `${redirection}exec ${world.script} ${harness} ${event}`;
      const hook = world.startProgram("/bin/sh", ["-c", line], { env, input: null });
      if (start !== "") hook.child.stdin?.write(start);
      return hook.ended;
    });
    for (const end of await Promise.all(ends)) expect(end).toMatchObject({ code: 0, stdout: "", stderr: "" });
    // Nothing was taken, so the next hook shows it.
    const shown = await world
      .harness(harness)
      .hook(event === "stop" ? "prompt" : event, SESSION, { source: "startup" });
    expect(shown.said).toContain(event === "session-start" ? "1 unread message" : "hello");
  });

  test("is waited for longer where TT_HOOK_DEADLINE_MS says so", async () => {
    const world = await withMail("claude");
    const [patient, usual] = ["30000", undefined].map((TT_HOOK_DEADLINE_MS) => {
      const env = { CLAUDE_CODE_SESSION_ID: SESSION, TT_HOOK_DEADLINE_MS };
      return world.startProgram(world.script, ["claude", "post-tool"], { env, input: null });
    });
    expect(await usual?.ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(patient?.isOver).toBe(false);
    patient?.child.stdin?.end(payloadIn(world));
    expect((await patient?.ended)?.stdout).toContain("hello");
  });
});
