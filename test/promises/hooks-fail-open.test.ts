/**
 * Goal: whatever is broken, a hook neither stops an agent nor keeps it waiting.
 * Method: hooks of all harnesses and events are run as a harness runs them while the world fails them in one of thirteen
 * ways and mail waits for their sessions; each must end well by itself, and say nothing or what its harness understands.
 * How long it takes is a row of the benchmark.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { HookEvent } from "../../src/hooks/rules/hook.ts";
import { createMailFlags } from "../../src/platform/agents/mail-flags.ts";
import { newSession } from "../../src/session/rules/session.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { quickPlace } from "../support/quick-place.ts";
import { SeededRandom } from "../support/random.ts";
import { idOf } from "../support/session-clues.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, copyData, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { type Arrange, copiedGround, FAULTS, type FaultGround } from "./hook-faults/faults.ts";
import {
  HOOK_HARNESSES,
  type HookHarness,
  type HookResult,
  installHook,
  problemWithGuard,
  problemWithOutput,
  randomHook,
  runJob,
} from "./hook-faults/hook-runner.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const SESSIONS: Readonly<Record<HookHarness, string>> = {
  claude: "898509a1-5dab-4f24-a4e9-7b7158c02f3e",
  codex: "01a1de4f-f37c-7292-8a4a-8ad18c8e90ee",
  gemini: "f5fc8db0-37d8-48bf-853e-4658fcb2d658",
  opencode: "ses_6f1ab3c2dffe4KxQ9vTzLm0RwY",
};
const AT_ONCE = 8;

let frozen: Bundle;
let base: FaultGround;
const root = mkdtempSync(join(quickPlace(), "tt-hooks-"));
beforeAll(async () => {
  frozen = await bundleSqliteFixture("durable-frozen");
  base = await makeGround();
});
afterAll(() => {
  frozen.remove();
  rmSync(root, { recursive: true, force: true });
});

/** Sessions, one of each harness, each with mail and its flag raised, in a guarded room whose stick their peer holds. */
async function makeGround(): Promise<FaultGround> {
  const ground = { ...groundAt(root), frozen };
  const deps = { ...(await openWorld(ground)), flags: createMailFlags(ground.dataDir) };
  const peer = actor(deps, "library:peer");
  const { roomId, project } = accepted(await peer.joinPath({ contextPath: ground.tree }));
  for (const harness of HOOK_HARNESSES) {
    const sessionId = SESSIONS[harness];
    const agentId = asAgentId(idOf(harness, sessionId));
    accepted(await actor(deps, agentId, { sessionId }).joinPath({ contextPath: ground.tree }));
    const row = { ...newSession({ agentId, project }, harness), sessionId, hooked: true };
    await deps.store.changeSession({ agentId, project }, () => row);
    for (let number = 1; number <= 20; number += 1) {
      accepted(await peer.sendMessage({ roomId, to: agentId, body: `message ${number}\n${"x".repeat(300)}` }));
    }
  }
  const person = actor(deps, "human:me", { isPerson: true });
  accepted(await person.changePolicy({ roomId, changes: { guard: "strict" } }));
  expect(accepted(await peer.waitForTurn({ roomId, maxWaitMs: 0 }))).toMatchObject({ status: "your_turn" });
  await deps.store.close();
  return ground;
}

const VARIABLES: Readonly<Record<HookHarness, Readonly<Record<string, string>>>> = {
  claude: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: SESSIONS.claude },
  codex: {},
  gemini: { GEMINI_CLI: "1", GEMINI_SESSION_ID: SESSIONS.gemini },
  opencode: { OPENCODE: "1", TT_OPENCODE_SESSION_ID: SESSIONS.opencode },
};

const runs = figure(50, 1000);
const guardRuns = figure(16, 400);

/** A tool that writes in the tree, in the words of each harness. */
const EDITS: Readonly<Record<HookHarness, object>> = {
  claude: { tool_name: "Write", tool_input: { file_path: "x", content: "" } },
  codex: { tool_name: "apply_patch", tool_input: { command: "*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\n" } },
  gemini: { tool_name: "write_file", tool_input: { file_path: "x", content: "" } },
  opencode: { tool_name: "write", tool_input: { filePath: "x", content: "" } },
};

/** In these the store can still be asked, so the guard may refuse. */
const ANSWERABLE: readonly string[] = [
  "no home",
  "a full disk",
  "a payload that is none",
  "a closed output",
  "a writer that froze with the lock",
];

interface Scene {
  readonly arrange: Arrange;
  readonly times: number;
  /** Whether the log must tell of the fault. */
  readonly isLogged: boolean;
  readonly job: (random: SeededRandom) => readonly [harness: HookHarness, event: string, payload: object];
  readonly judge: (harness: HookHarness, event: string, result: HookResult) => string | null;
}

/** Runs hooks while the world fails them, and judges each. */
async function runInFault({ arrange, times, isLogged, job, judge }: Scene): Promise<void> {
  const seed = freshSeed();
  const ground = copiedGround(base, join(quickDirectory(), "data"));
  copyData(base.dataDir, ground.dataDir);
  const arranged = await arrange(ground);
  const hookProgram = join(dirname(inject("tt")), "hook.cjs");
  const right = { node: process.execPath, hookProgram, dataDir: ground.dataDir };
  const line = installHook(join(dirname(ground.dataDir), "bin"), { ...right, ...arranged.installed });
  const { wrap = (command: string) => command, input = (payload: string) => payload } = arranged;
  const { inputStaysOpen = false, through = [] } = arranged;
  try {
    await inParallel(AT_ONCE, [...Array(times).keys()], async (index) => {
      const random = new SeededRandom(seed + index);
      const [harness, event, more] = job(random);
      const payload = JSON.stringify({ session_id: SESSIONS[harness], cwd: ground.tree, ...more });
      const result = await runJob({
        command: wrap(line(harness, event)),
        input: input(payload, random),
        inputStaysOpen,
        env: { HOME: ground.env["HOME"], ...VARIABLES[harness], ...arranged.env },
        cwd: ground.tree,
        through,
      });
      const what = { seed: seed + index, harness, event, ...result, stdout: result.stdout.slice(0, 300) };
      expect({ ...what, problem: judge(harness, event, result) }).toEqual({ ...what, problem: null });
    });
  } finally {
    await arranged.end?.();
  }
  const log = join(ground.dataDir, "hook.log");
  if (arranged.logged && isLogged) expect(readFileSync(log, "utf8")).toMatch(arranged.logged);
  if (existsSync(log)) expect(statSync(log).size).toBeLessThan(100_000);
}

for (const [name, arrange] of Object.entries(FAULTS)) {
  verifies("H1", `${name}, ${runs} times`, () =>
    runInFault({
      arrange,
      times: runs,
      isLogged: true,
      job(random) {
        const { harness, event } = randomHook(random);
        return [harness, event, { source: "startup", reason: "other", waker_pid: process.pid }];
      },
      judge: (harness, event, { code, stdout, stderr }) =>
        code === 0 && stderr === ""
          ? problemWithOutput(harness, event as HookEvent, stdout)
          : `it ended with ${code}: ${stderr}`,
    }),
  );

  verifies("H1", `the guard, ${name}, ${guardRuns} times`, () =>
    runInFault({
      arrange,
      times: guardRuns,
      isLogged: !ANSWERABLE.includes(name),
      job(random) {
        const harness = random.pick(HOOK_HARNESSES);
        return [harness, "guard", EDITS[harness]];
      },
      judge: (harness, _, result) =>
        result.code === 0 || ANSWERABLE.includes(name)
          ? problemWithGuard(harness, result)
          : "it refuses, and cannot know who holds the stick",
    }),
  );
}

verifies(
  "H1",
  "there are thirteen faults, and without one a hook has something to say and the guard refuses",
  async () => {
    expect(Object.keys(FAULTS)).toHaveLength(13);
    const ground = copiedGround(base, join(quickDirectory(), "data"));
    copyData(base.dataDir, ground.dataDir);
    const hookProgram = join(dirname(inject("tt")), "hook.cjs");
    const line = installHook(join(dirname(ground.dataDir), "bin"), {
      node: process.execPath,
      hookProgram,
      dataDir: ground.dataDir,
    });
    for (const [harness, event] of [
      ["claude", "post-tool"],
      ["codex", "pre-tool"],
      ["gemini", "post-tool"],
      ["opencode", "post-tool"],
    ] as const) {
      const input = JSON.stringify({ session_id: SESSIONS[harness], cwd: ground.tree });
      const env = { HOME: ground.env["HOME"], ...VARIABLES[harness], TT_HOOK_DEADLINE_MS: "30000" };
      const { stdout } = await runJob({ command: line(harness, event), input, env, cwd: ground.tree });
      expect(stdout).toContain("message 1");
      expect(problemWithOutput(harness, event, stdout)).toBeNull();
      const tool = JSON.stringify({ ...JSON.parse(input), ...EDITS[harness] });
      const guard = await runJob({ command: line(harness, "guard"), input: tool, env, cwd: ground.tree });
      expect(guard).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Refused: /) });
      expect(problemWithGuard(harness, guard)).toBeNull();
    }
  },
);

const shape = (additionalContext: unknown, hookEventName = "PostToolBatch") =>
  JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });

verifies("H1", "the check would find what a harness does not understand", () => {
  expect(problemWithOutput("claude", "post-tool", shape("x"))).toBeNull();
  expect(problemWithOutput("claude", "post-tool", "oops")).toBe("it is no JSON");
  expect(problemWithOutput("claude", "post-tool", shape(""))).toBe("it adds nothing");
  expect(problemWithOutput("claude", "pre-tool", shape("x", "PreToolUse"))).toBe("it names another event");
  expect(problemWithOutput("gemini", "post-tool", shape("x"))).toBe("it names another event");
  expect(problemWithOutput("codex", "turn-broken", shape("x", "Interrupt"))).toBe("it names another event");
  expect(problemWithOutput("claude", "post-tool", '{"decision":"block"}')).toBe("it says more than it may");
  expect(problemWithOutput("claude", "stop", shape("x", "Stop"))).toBeNull();
  expect(problemWithOutput("claude", "stop", '{"decision":"block","reason":"x"}')).toBe("it says more than it may");
  expect(problemWithOutput("codex", "stop", '{"decision":"block","reason":"x"}')).toBeNull();
  expect(problemWithOutput("codex", "stop", '{"decision":"deny","reason":"x"}')).toBe("it stops nothing right");
  expect(problemWithOutput("opencode", "stop", '{"go_on":"x"}')).toBeNull();
  expect(problemWithOutput("opencode", "stop", '{"context":"x"}')).toBe("it says more than it may");
  expect(problemWithOutput("opencode", "prompt", '{"context":""}')).toBe("it adds nothing");
});

verifies("H1", "the check would find a refusal that a harness does not understand", () => {
  const ran = { code: 2, stderr: "no\n" };
  expect(problemWithGuard("claude", { ...ran, stdout: "" })).toBeNull();
  expect(problemWithGuard("gemini", { ...ran, stdout: '{"decision":"deny","reason":"no"}\n' })).toBeNull();
  expect(problemWithGuard("claude", { ...ran, stdout: '{"decision":"deny","reason":"no"}\n' })).toMatch(/form/);
  expect(problemWithGuard("opencode", { ...ran, stdout: '{"deny":"another"}\n' })).toMatch(/form/);
  expect(problemWithGuard("codex", { ...ran, stdout: "", stderr: "" })).toBe("its reason is not one line");
  expect(problemWithGuard("codex", { ...ran, code: 1, stdout: "" })).toBe("it ended with 1");
  expect(problemWithGuard("codex", { ...ran, code: 0, stdout: "" })).toMatch(/says something/);
});
