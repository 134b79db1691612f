/**
 * A user of Claude Code may have hooks of their own. While one of them works at the end of a turn, Claude Code still says
 * that it is at work, although ours has already looked for mail. If it lets the turn go on, Claude Code says nothing new.
 * While one of them works on a prompt, Claude Code says that it is at work, until the hook refuses the prompt.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "./support/drivers/claude.ts";
import { HarnessInTerminal } from "./support/harness-in-terminal.ts";
import type { HarnessWorld, Mark } from "./support/harness-world.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { Peer } from "./support/peer.ts";
import type { Scripts } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";
import { Terminal } from "./support/terminal.ts";

const newWorld = harnessWorlds();
const BODY = "The build is broken.";

describe.skipIf(!isInstalled("claude"))("Claude Code, whose user has a hook at the end of a turn", () => {
  it("is woken by a message that comes while that hook works", async () => {
    const { world, peer, harness, hookWorks, letHookEnd } = await begin("Stop", { hello: [] });
    await harness.window.prompt("<<script hello>>");
    await hookWorks.isThere();
    await peer.sees("claude", "idle");
    const { id, willBeSeen, wakeStatus } = await peer.send("claude", BODY, "--wake");
    expect(wakeStatus).toMatch(/^fired(_unconfirmed)?$/);
    expect(willBeSeen).toMatch(/^(on_wake|unknown)$/);
    expect(world.isTold("claude", BODY)).toBe(false);
    letHookEnd.set();
    await world.until(
      "it is told",
      () => world.isTold("claude", BODY),
      () => harness.window.screen,
    );
    await peer.seesState(id, "acked");
  });

  it("is at work when that hook has let the turn go on, and is not woken", async () => {
    const held = "touch .marks/held; until [ -e .marks/go ]; do sleep 0.05; done";
    const { world, peer, harness, hookWorks, letHookEnd } = await begin("Stop", {
      hello: [],
      more: [claude.shell("true"), claude.shell(held)],
    });
    await harness.window.prompt("<<script hello>>");
    await hookWorks.isThere();
    await peer.sees("claude", "idle");
    letHookEnd.set("Go on with <<script more>>.");
    await world.mark("held").isThere();
    const { id, willBeSeen, wakeStatus } = await peer.send("claude", BODY, "--wake");
    world.mark("go").set();
    expect({ willBeSeen, wakeStatus }).toEqual({ willBeSeen: "next_tool_call", wakeStatus: "skipped_busy" });
    await peer.seesState(id, "acked");
  });
});

describe.skipIf(!isInstalled("claude"))("Claude Code, whose user has a hook of prompts", () => {
  it("says itself that it is at work while that hook works, and that it rests once the prompt is refused", async () => {
    const { world, harness, hookWorks, letHookEnd } = await begin("UserPromptSubmit", {
      hello: [claude.shell("until [ -e .marks/never ]; do sleep 0.05; done")],
    });
    const says = (status: string) =>
      world.until(
        status,
        () => statusOf(world) === status,
        () => harness.window.screen,
      );
    await says("idle");
    await harness.window.prompt("<<script hello>>");
    await hookWorks.isThere();
    await says("busy");
    letHookEnd.set("No.");
    await says("idle");
  });
});

/** What its own file says. */
function statusOf({ home }: HarnessWorld): unknown {
  const sessions = join(home, ".claude/sessions");
  const [name] = readdirSync(sessions).filter((file) => /^\d+\.json$/.test(file));
  const text = name === undefined ? "" : readFileSync(join(sessions, name), "utf8");
  return text === "" ? undefined : (JSON.parse(text) as { readonly status?: unknown }).status;
}

type HookedEvent = "Stop" | "UserPromptSubmit";

/**
 * The hook works from the time of one mark to that of the other. If that has a text, it lets the turn go on, or refuses the
 * prompt.
 */
async function begin(event: HookedEvent, scripts: Scripts) {
  const world = newWorld();
  setUp(world, claude);
  const marks = { hookWorks: world.mark("hook-works"), letHookEnd: world.mark("let-hook-end") };
  addHook(world, event, marks);
  const peer = new Peer(world);
  await peer.tt("join");
  world.script(scripts);
  const harness = await HarnessInTerminal.start(world, await Terminal.start(world), claude);
  return { world, peer, harness, ...marks };
}

function addHook(
  world: HarnessWorld,
  event: HookedEvent,
  { hookWorks, letHookEnd }: Readonly<Record<"hookWorks" | "letHookEnd", Mark>>,
) {
  const path = join(world.home, ".claude/settings.json");
  const settings = JSON.parse(readFileSync(path, "utf8")) as {
    readonly hooks: Readonly<Record<HookedEvent, object[]>>;
  };
  const command = [
    `[ ! -e '${hookWorks.path}' ] || exit 0`,
    `touch '${hookWorks.path}'`,
    `until [ -e '${letHookEnd.path}' ]; do sleep 0.05; done`,
    `[ -s '${letHookEnd.path}' ] || exit 0`,
    `cat '${letHookEnd.path}' >&2; exit 2`,
  ].join("; ");
  settings.hooks[event].push({ hooks: [{ type: "command", command }] });
  world.write("home/.claude/settings.json", settings);
}
