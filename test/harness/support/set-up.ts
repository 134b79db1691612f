/** Sets harnesses up with everything that we have for them. */
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import type { HookEvent } from "../../../src/domain/hooks/hook.ts";
import { hookScript } from "../../../src/harness/hook-script.ts";
import type { Driver } from "./drivers/driver.ts";
import type { HarnessWorld } from "./harness-world.ts";
import type { HarnessName } from "./wires/index.ts";

const CLAUDE: Readonly<Record<string, HookEvent>> = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PreToolUse: "pre-tool",
  PostToolUse: "post-tool",
  Stop: "stop",
  SessionEnd: "session-end",
};

const EVENTS: Readonly<Record<HarnessName, Readonly<Record<string, HookEvent>>>> = {
  claude: CLAUDE,
  codex: CLAUDE,
  gemini: {
    SessionStart: "session-start",
    BeforeAgent: "prompt",
    BeforeTool: "pre-tool",
    AfterTool: "post-tool",
    AfterAgent: "stop",
    SessionEnd: "session-end",
  },
  opencode: {},
};

export function setUp(world: HarnessWorld, ...drivers: readonly Driver[]): void {
  const hookProgram = join(dirname(inject("tt")), "hook.cjs");
  const text = hookScript({ version: "0.0.0", node: process.execPath, hookProgram, dataDir: world.data });
  const script = world.write("data/hooks/tt-hook", text);
  chmodSync(dirname(script), 0o700);
  chmodSync(script, 0o700);
  for (const driver of drivers) {
    const hooks = Object.entries(EVENTS[driver.name]).map(([name, event]) => {
      const command = `test ! -x '${script}' || exec '${script}' ${driver.name} ${event}`;
      return [name, [{ hooks: [{ type: "command", command }] }]] as const;
    });
    driver.configure(world, Object.fromEntries(hooks));
  }
}
