/** Taking it back: whatever the settings are by then, and wherever it was set up. */
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { InstallWorld } from "./support/install-world.ts";

/** Settings with which nothing could be set up. */
const SETTINGS: Readonly<Record<string, (world: InstallWorld) => Record<string, string>>> = {
  "a password in TT_STORE": () => ({ TT_STORE: "postgres://me:word@db/tt" }),
  "settings that are broken": (world) => ({ TT_CONFIG: world.write("settings.json", "{ broken") }),
  "a data directory that others could use": (world) => {
    mkdirSync(world.ownData, { recursive: true });
    chmodSync(world.ownData, 0o777);
    return {};
  },
};

it.each(Object.entries(SETTINGS))("%s does not stand in its way", async (_, prepare) => {
  const world = new InstallWorld();
  mkdirSync(join(world.home, ".codex"));
  world.write("settings.json", "{}");
  const before = world.snapshot();
  await world.done("install codex --yes", { env: world.surroundings });
  const env = prepare(world);
  expect((await world.type("install codex", { env })).code).not.toBe(0);
  expect((await world.type("uninstall", { env })).code).toBe(0);
  world.write("settings.json", "{}");
  expect(world.snapshot()).toEqual(before);
});

it("what an installation that was killed left beside its files is swept, and nothing else", async () => {
  const world = new InstallWorld();
  mkdirSync(join(world.home, ".claude"));
  world.write(".claude/settings.json", "{}");
  const mine = world.write(".claude/settings.json.tt-new-mine", "mine");
  const before = world.snapshot();
  const left = [".claude/settings.json", ".claude.json"].map((name) => `${name}.tt-new-${"0a".repeat(12)}b`);
  for (const name of left) world.write(name, "half");
  await world.type("install claude");
  expect([...left, mine].map((name) => existsSync(join(world.home, name)) || existsSync(name))).toEqual([
    false,
    false,
    true,
  ]);
  await world.type("uninstall");
  expect(world.snapshot()).toEqual(before);
  expect(existsSync(join(world.home, ".local"))).toBe(false);
});

it("second configuration directories are found again without their variables", async () => {
  const world = new InstallWorld();
  for (const name of ["c", "x", "config/opencode", "g/.gemini", ".claude"])
    mkdirSync(join(world.home, name), { recursive: true });
  const before = world.snapshot();
  const env = {
    CLAUDE_CONFIG_DIR: join(world.home, "c"),
    CODEX_HOME: join(world.home, "x"),
    XDG_CONFIG_HOME: join(world.home, "config"),
    GEMINI_CLI_HOME: join(world.home, "g"),
  };
  await world.type("install", { env });
  await world.type("install claude");
  const titles = (await world.findings()).map(({ text }) => text).join("\n");
  expect(titles).toContain(`Claude Code in ${env.CLAUDE_CONFIG_DIR} is set up`);
  expect(titles).toContain(`OpenCode in ${env.XDG_CONFIG_HOME}/opencode is set up`);
  expect(titles).toContain(`Gemini CLI in ${env.GEMINI_CLI_HOME}/.gemini is set up`);
  expect(titles).toContain(`Codex in ${env.CODEX_HOME} does not run these hooks`);
  expect((await world.findings({ env })).map(({ text }) => text)).toContainEqual(
    expect.stringContaining(`Claude Code in ${join(world.home, ".claude")} is set up`),
  );
  world.write("c/settings.json", "{}");
  const stale = (await world.findings()).find(({ text }) => text?.includes("c/settings.json"));
  expect(stale?.["next"]).toBe(`CLAUDE_CONFIG_DIR=${env.CLAUDE_CONFIG_DIR} tt install claude`);
  await world.type("install claude", { env });
  const outcome = await world.type("uninstall");
  expect(outcome.code).toBe(0);
  const { "c/settings.json": _, ...left } = world.snapshot();
  expect(left).toEqual(before);
});
