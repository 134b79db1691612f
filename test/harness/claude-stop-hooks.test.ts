/**
 * A user of Claude Code may have hooks of their own at the end of a turn. While one of them works, Claude Code still says
 * that it is at work, although ours has already looked for mail. If it lets the turn go on, Claude Code says nothing new.
 */
import { readFileSync } from "node:fs";
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
    const { world, peer, harness, hookWorks, letHookEnd } = await begin({ hello: [] });
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
    const { world, peer, harness, hookWorks, letHookEnd } = await begin({
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

/** The hook works from the time of one mark to that of the other. It lets the turn go on if that has a text. */
async function begin(scripts: Scripts) {
  const world = newWorld();
  setUp(world, claude);
  const marks = { hookWorks: world.mark("hook-works"), letHookEnd: world.mark("let-hook-end") };
  addStopHook(world, marks);
  const peer = new Peer(world);
  await peer.tt("join");
  world.script(scripts);
  const harness = await HarnessInTerminal.start(world, await Terminal.start(world), claude);
  return { world, peer, harness, ...marks };
}

function addStopHook(
  world: HarnessWorld,
  { hookWorks, letHookEnd }: Readonly<Record<"hookWorks" | "letHookEnd", Mark>>,
) {
  const path = join(world.home, ".claude/settings.json");
  const settings = JSON.parse(readFileSync(path, "utf8")) as { readonly hooks: { readonly Stop: object[] } };
  const command = [
    `[ ! -e '${hookWorks.path}' ] || exit 0`,
    `touch '${hookWorks.path}'`,
    `until [ -e '${letHookEnd.path}' ]; do sleep 0.05; done`,
    `[ -s '${letHookEnd.path}' ] || exit 0`,
    `cat '${letHookEnd.path}' >&2; exit 2`,
  ].join("; ");
  settings.hooks.Stop.push({ hooks: [{ type: "command", command }] });
  world.write("home/.claude/settings.json", settings);
}
