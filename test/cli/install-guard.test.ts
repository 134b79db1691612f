/** The guard's hook comes and goes by itself: one entry for each harness, and nothing else changes with it. */
import { describe, expect, it } from "vitest";
import {
  allFour,
  HAND_WRITTEN,
  HARNESSES,
  type Harness,
  InstallWorld,
  PLACES,
  parsed,
} from "./support/install-world.ts";

interface Group {
  readonly matcher?: string;
  readonly hooks: readonly { readonly command: string; readonly timeout: number }[];
}

/** The file with the hooks, the event before a tool, the tools that are asked about, and the limit as each counts it. */
const ENTRIES: Readonly<Record<Exclude<Harness, "opencode">, readonly [string, string, string, number]>> = {
  claude: [".claude/settings.json", "PreToolUse", "^(Write|Edit|MultiEdit|NotebookEdit|Bash|Monitor)$", 5],
  codex: [".codex/hooks.json", "PreToolUse", "^(apply_patch|Bash)$", 5],
  gemini: [".gemini/settings.json", "BeforeTool", "^(write_file|replace|run_shell_command)$", 5000],
};
const PLUGIN = ".config/opencode/plugin/talking-stick.js";

function worldWith(harness: Harness): InstallWorld {
  const world = new InstallWorld();
  for (const file of PLACES[harness].files) world.write(file, HAND_WRITTEN[file] ?? "", 0o640);
  return world;
}

/** All groups of hooks in a file, with their events. */
function groupsIn(world: InstallWorld, file: string): readonly (readonly [event: string, group: Group])[] {
  const text = world.read(file).replaceAll(/\/\*.*?\*\/|(?<!:)\/\/ .*$|,(?=\s*[}\]])/gm, "");
  const { hooks = {} } = parsed(text);
  return Object.entries(hooks).flatMap(([event, groups]) =>
    (groups as Group[]).map((group) => [event, group] as const),
  );
}

const isGuard = ([, { hooks }]: readonly [string, Group]) => hooks.some(({ command }) => command.endsWith(" guard"));

describe.each(HARNESSES)("%s", (harness) => {
  it("has one entry more with --guard, keeps it at the next install, and loses it alone with --no-guard", async () => {
    const world = worldWith(harness);
    const before = world.snapshot();
    await world.done(`install ${harness} --yes`, { env: world.surroundings });
    const plain = world.snapshot();
    expect(JSON.stringify(plain)).not.toMatch(/ guard"|guard: true/);
    expect(await world.harnesses(`install ${harness} --guard`)).toMatchObject([{ harness, status: "done" }]);
    const guarded = world.snapshot();
    expect(Object.keys(guarded)).toEqual(Object.keys(plain));
    const changed = Object.keys(guarded).filter((name) => guarded[name] !== plain[name]);
    expect(changed).toEqual([harness === "opencode" ? PLUGIN : ENTRIES[harness][0]]);
    for (const line of ["install", `install ${harness}`, `install ${harness} --guard`]) {
      expect(await world.harnesses(line)).toContainEqual(expect.objectContaining({ harness, status: "unchanged" }));
      expect(world.snapshot()).toEqual(guarded);
    }
    expect((await world.findings()).filter(({ text }) => text?.includes("lacks"))).toEqual([]);
    expect(await world.harnesses(`install ${harness} --no-guard`)).toMatchObject([{ harness, status: "done" }]);
    expect(world.snapshot()).toEqual(plain);
    expect(await world.harnesses(`install ${harness}`)).toMatchObject([{ harness, status: "unchanged" }]);
    expect(world.snapshot()).toEqual(plain);
    await world.done(`uninstall ${harness} --yes`, { env: world.surroundings });
    expect(world.snapshot()).toEqual(before);
  });

  it("gives every byte back after an install with --guard", async () => {
    const world = worldWith(harness);
    const before = world.snapshot();
    await world.done(`install ${harness} --guard --yes`, { env: world.surroundings });
    expect(JSON.stringify(world.snapshot())).toMatch(/ guard\\?"|guard: true/);
    await world.done(`uninstall ${harness} --yes`, { env: world.surroundings });
    expect(world.snapshot()).toEqual(before);
  });

  it("loses the entry also when nothing was written down about it", async () => {
    const world = worldWith(harness);
    const before = world.snapshot();
    await world.done(`install ${harness} --guard --yes`, { env: world.surroundings });
    world.forget();
    await world.done(`uninstall ${harness} --yes`, { env: world.surroundings });
    expect(JSON.stringify(world.snapshot())).not.toMatch(/tt-hook|guard: true/);
    expect(Object.keys(world.snapshot())).toEqual(expect.arrayContaining(Object.keys(before)));
  });
});

it.each(Object.entries(ENTRIES))(
  "the entry of %s is for its tools that write, with a limit of its own",
  async (...row) => {
    const [harness, [file, event, matcher, timeout]] = row;
    const world = worldWith(harness as Harness);
    await world.done(`install ${harness} --yes`, { env: world.surroundings });
    const plain = groupsIn(world, file);
    await world.done(`install ${harness} --guard --yes`, { env: world.surroundings });
    const guarded = groupsIn(world, file);
    const added = guarded.filter(isGuard);
    const command = `test ! -x '${world.hookScript}' || exec '${world.hookScript}' ${harness} guard`;
    expect(added).toMatchObject([[event, { matcher, hooks: [{ type: "command", timeout, command }] }]]);
    expect(guarded.filter((group) => !isGuard(group))).toEqual(plain);
  },
);

it("the plugin of OpenCode is told to ask", async () => {
  const world = worldWith("opencode");
  await world.done("install opencode --guard --yes", { env: world.surroundings });
  expect(world.read(PLUGIN)).toContain(`start(input, ${JSON.stringify(world.hookScript)}, { guard: true });`);
});

it("one harness has the guard and another has not", async () => {
  const world = allFour();
  await world.done("install claude --guard --yes", { env: world.surroundings });
  await world.done("install --yes", { env: world.surroundings });
  expect(groupsIn(world, ".claude/settings.json").filter(isGuard)).toHaveLength(1);
  expect(groupsIn(world, ".codex/hooks.json").filter(isGuard)).toHaveLength(0);
});

it("--guard and --no-guard exclude each other", async () => {
  const world = allFour();
  const before = world.snapshot();
  expect((await world.type("install --guard --no-guard")).code).toBe(2);
  expect(world.snapshot()).toEqual(before);
});
