/** Whoever a session of a real harness is to our MCP server, it is the same to our commands and hooks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { idOf } from "../support/session-clues.ts";
import { ClaudeSession } from "./support/drivers/claude.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { DRIVERS } from "./support/drivers/index.ts";
import type { HarnessWorld } from "./support/harness-world.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { answerIn } from "./support/script.ts";

const newWorld = harnessWorlds();

/** A hook that writes down what it is told on standard input. */
function recording(world: HarnessWorld, event: string): object {
  const command = `cat > '${join(world.root, "hook.json")}'`;
  return { [event]: [{ hooks: [{ type: "command", command }] }] };
}

function hookSessionId(world: HarnessWorld): string {
  return (JSON.parse(readFileSync(join(world.root, "hook.json"), "utf8")) as { session_id: string }).session_id;
}

/** The script asks our MCP server and then our program in the shell. */
function asking(world: HarnessWorld, driver: Driver) {
  world.script({ who: [driver.ours("get_my_session"), driver.shell(world.tt("whoami --json"))] });
}

function told(world: HarnessWorld, { name }: Driver): readonly unknown[] {
  return world.answers(name, "who").map((answer) => (answerIn(answer) as { agent_id?: unknown } | null)?.agent_id);
}

describe.skipIf(!isInstalled("claude"))("Claude Code", () => {
  verifies("H2", "Claude Code's MCP call, shell and hook, before and after /clear", async () => {
    const world = newWorld();
    DRIVERS.claude.configure(world, recording(world, "UserPromptSubmit"));
    asking(world, DRIVERS.claude);
    const session = new ClaudeSession(world);
    await session.prompt("<<script who>>");
    const before = idOf("claude", hookSessionId(world));
    expect(told(world, DRIVERS.claude)).toEqual([before, before]);
    await session.prompt("/clear");
    await session.prompt("<<script who>>");
    const after = idOf("claude", hookSessionId(world));
    expect(told(world, DRIVERS.claude)).toEqual([after, after]);
    expect(after).not.toBe(before);
    await session.end();
  });
});

describe.skipIf(!isInstalled("codex"))("Codex", () => {
  verifies("H2", "Codex's MCP call, sandboxed shell and hook", async () => {
    const world = newWorld();
    DRIVERS.codex.configure(world, recording(world, "UserPromptSubmit"));
    asking(world, DRIVERS.codex);
    const threadId = await DRIVERS.codex.prompt(world, "<<script who>>");
    const id = idOf("codex", hookSessionId(world));
    expect(told(world, DRIVERS.codex)).toEqual([id, id]);
    expect(id).toBe(idOf("codex", threadId));
  });
});

describe.skipIf(!isInstalled("gemini"))("Gemini CLI", () => {
  it("is one provisional agent to MCP server and shell as long as no hook of ours has named its session", async () => {
    const world = newWorld();
    DRIVERS.gemini.configure(world);
    asking(world, DRIVERS.gemini);
    await DRIVERS.gemini.prompt(world, "<<script who>>");
    const [inCall, inShell] = told(world, DRIVERS.gemini);
    expect(inCall).toMatch(/^gemini:[0-9a-f]{8}$/);
    expect(inShell).toBe(inCall);
  });
});

describe.skipIf(!isInstalled("opencode"))("OpenCode", () => {
  verifies("H2", "OpenCode's MCP call, shell and plugin", async () => {
    const world = newWorld();
    DRIVERS.opencode.configure(world);
    asking(world, DRIVERS.opencode);
    const id = idOf("opencode", await DRIVERS.opencode.prompt(world, "<<script who>>"));
    expect(told(world, DRIVERS.opencode)).toEqual([id, id]);
  });
});
