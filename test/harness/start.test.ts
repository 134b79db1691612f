/** `tt start` with the real programs, which are not set up: what they get for one run, and that their files stay theirs. */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { mcpTools } from "./scenarios/mcp-tools.ts";
import { midTurn } from "./scenarios/mid-turn.ts";
import { oneIdentity } from "./scenarios/one-identity.ts";
import { sessionBrief } from "./scenarios/session-brief.ts";
import { turnEnd } from "./scenarios/turn-end.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { DRIVERS } from "./support/drivers/index.ts";
import type { HarnessWorld } from "./support/harness-world.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { Peer } from "./support/peer.ts";
import { type Written, writtenBelow } from "./support/written-files.ts";

const newWorld = harnessWorlds();
const { claude, codex, gemini, opencode } = DRIVERS;

describe.each([claude, codex, opencode])("$name", (driver) => {
  it.skipIf(!isInstalled(driver.name)).each([mcpTools, oneIdentity, sessionBrief, midTurn, turnEnd])(
    "started by tt: $title",
    async ({ run }) => {
      const world = newWorld();
      driver.prepare(world);
      world.startByTt(driver.name);
      const peer = new Peer(world);
      await peer.tt("join");
      await run({ world, driver, peer });
    },
  );
});

it.skipIf(!isInstalled("gemini"))("Gemini CLI takes nothing for one run: it starts, and one line says so", async () => {
  const world = newWorld();
  gemini.prepare(world);
  world.startByTt("gemini");
  world.script({ nothing: [] });
  await gemini.prompt(world, "<<script nothing>>");
  expect(world.hasBegun("gemini", "nothing")).toBe(true);
  const { stderr, stdout } = spawnSync(process.execPath, [inject("tt"), "start", "gemini", "--version"], {
    cwd: world.tree,
    env: world.environment,
    encoding: "utf8",
  });
  expect(stdout).toMatch(/^\d+\.\d+/);
  expect(stderr).toBe("tt start: Gemini CLI takes no tools or hooks for one run. To set it up: tt install gemini\n");
});

describe.each(Object.values(DRIVERS))("$name", (driver) => {
  it.skipIf(!isInstalled(driver.name))("started by tt: it writes the same files as without tt", async () => {
    const world = newWorld();
    driver.prepare(world);
    for (const place of PLACES) cpSync(join(world.root, place), join(world.root, "before", place), { recursive: true });
    world.script({ work: [driver.shell("echo one"), driver.shell("echo two")] });
    const plain = [await writtenBy(world, driver), await writtenBy(world, driver)] as const;
    world.startByTt(driver.name);
    const started = [await writtenBy(world, driver), await writtenBy(world, driver)] as const;
    // Two runs without tt are compared, too: if they differ, chance is left in what is compared.
    for (const written of [plain[1], ...started]) expect(lasting(written)).toEqual(lasting(plain[0]));
    const usual = new Set(plain.flatMap(ofSession));
    for (const written of started) {
      expect(ofSession(written).filter((line) => !usual.has(line) && !NAMES_US.test(line))).toEqual([]);
    }
  });
});

/** All that a harness and the commands of its model may write to here. */
const PLACES = ["home", "tree"];

const LEFT_OUT = new RegExp(
  [
    // Our own data and the files that our hooks need.
    "^home/\\.(local/share|cache)/tt(/|$)",
    // Claude Code keeps a log about each MCP server. The page about harnesses says so.
    "/mcp-logs-talking-stick(/|$)",
    // OpenCode ends before all of its log is written: without tt, too, a third of the lines or all of them are there.
    "/opencode/log(/|$)",
  ].join("|"),
);

/** What OpenCode notes about each step of a session: without tt, too, one run has steps that another leaves out. */
const BY_CHANCE = /opencode\.db event$/;

/**
 * What a harness notes about one session tells which tools, hooks and writable directories the session had, so it names
 * ours, as the page about harnesses says. Each other line of it is one that is written without tt, too.
 */
const OF_SESSION = /\/\.claude\/projects\/|\/\.codex\/sessions\/|\/\.codex\/state_#\.sqlite threads$/;
const NAMES_US = /talking-stick|\.local\/share\/tt|\.cache\/tt/;

/** One run from the same beginning. */
async function writtenBy(world: HarnessWorld, driver: Driver): Promise<Written> {
  for (const place of PLACES) {
    rmSync(join(world.root, place), { recursive: true });
    cpSync(join(world.root, "before", place), join(world.root, place), { recursive: true });
  }
  await driver.prompt(world, "<<script work>>");
  // It has ended. What it had started is waited for, which may write as long as it runs.
  await world.kill(driver.name);
  return new Map(PLACES.flatMap((place) => [...writtenBelow(world.root, place, LEFT_OUT)]));
}

/** All that outlives a session, and the names of the rest. */
function lasting(written: Written): Readonly<Record<string, readonly string[]>> {
  const all = [...written];
  return Object.fromEntries(
    all.map(([name, lines]) => [name, OF_SESSION.test(name) || BY_CHANCE.test(name) ? [] : lines]),
  );
}

function ofSession(written: Written): readonly string[] {
  return [...written].flatMap(([name, lines]) => (OF_SESSION.test(name) ? lines : []));
}
