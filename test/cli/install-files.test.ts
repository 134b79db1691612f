/** What setting up writes, where, and what becomes of it when others write there too. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { allFour, commandsIn, HAND_WRITTEN, InstallWorld, parsed } from "./support/install-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";
import { Transcript } from "./support/transcript.ts";

/** What the hooks of an event tell our program. */
function lastWords(entries: unknown): readonly string[] {
  return commandsIn(JSON.stringify(entries, null, 1)).map((line) => line.split(" ").slice(-2).join(" "));
}

it("shows the plan, does it, and says what is left to do, word for word", async () => {
  const world = allFour();
  rmSync(join(world.home, ".gemini"), { recursive: true });
  world.write(".codex/config.toml", HAND_WRITTEN[".codex/config.toml"] ?? "");
  world.write(".claude/settings.json", "{ broken");
  const shown = new Transcript(world);
  const plain = { env: world.surroundings };
  for (const line of [
    "install --print",
    "install",
    "install --yes",
    "install codex",
    "uninstall codex --print",
    "uninstall --yes",
    "install clod",
    "install claude --all",
  ]) {
    await shown.type(line, plain);
  }
  // The lines that change hold paths of this very build.
  const text = shown.text.replace(/^ {4}[@+-]( .*)?\n|^ {6}\S.*\n/gm, "");
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "golden", "install.txt"));
});

it("--print shows the values, and of the lines around them nothing", async () => {
  const world = allFour();
  world.write(".claude.json", '{\n  "token": "s3cret",\n  "mcpServers": {}\n}\n');
  world.write(".codex/hooks.json", '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"curl s3cret"}]}]}}');
  const { stdout } = await world.type("install claude codex --print");
  expect(stdout).not.toContain("s3cret");
  expect(stdout).toMatch(/^ {4}\+ +"command": "\/.*node",$/m);
  expect(stdout).toMatch(/^ {4}\+ \[mcp_servers\.talking-stick\]$/m);
  expect(stdout).toMatch(/tt-hook'\s+codex\s+stop/);
});

atTerminal("asks at a terminal: no leaves every file, yes writes", async () => {
  const world = allFour();
  const before = world.snapshot();
  const terminal = new Terminals(world).open("person");
  terminal.type("tt install codex");
  await terminal.until(/Write this\? \[y\/N\]/);
  terminal.type("n");
  await terminal.until(/Nothing was changed\./);
  expect(world.snapshot()).toEqual(before);
  terminal.type("clear; tt install codex");
  await terminal.until(/Write this\? \[y\/N\]/);
  terminal.type("y");
  await terminal.until(/Done\. Restart the client: Codex/);
  terminal.type("clear; tt uninstall codex");
  await terminal.until(/Take this out\? \[y\/N\]/);
  terminal.type("y");
  await terminal.until(/Done\./);
  expect(world.snapshot()).toEqual(before);
});

atTerminal("asks again if what it showed is not what it would do now", async () => {
  const world = allFour();
  const terminal = new Terminals(world).open("person");
  terminal.type("tt install codex");
  await terminal.until(/Write this\? \[y\/N\]/);
  const config = world.write(".codex/config.toml", '[mcp_servers.talking-stick]\ncommand = "other"\n');
  terminal.type("y");
  await terminal.until(/Files have changed meanwhile[^]*Write this\? \[y\/N\]/);
  terminal.type("n");
  await terminal.until(/Nothing was changed\./);
  expect(readFileSync(config, "utf8")).toContain("other");
  terminal.type("clear; tt install codex");
  await terminal.until(/Write this\? \[y\/N\]/);
  world.write(".codex/unrelated", "");
  terminal.type("y");
  await terminal.until(/Done\. Restart the client: Codex/);
  terminal.type("clear; tt uninstall codex");
  await terminal.until(/Take this out\? \[y\/N\]/);
  world.write(".codex/hooks.json", "{}");
  terminal.type("y");
  await terminal.until(/Files have changed meanwhile/);
  await terminal.until(/Take this out\? \[y\/N\]/);
  terminal.type("y");
  await terminal.until(/Done\./);
});

it("--print changes nothing, and tells every file and key", async () => {
  const world = allFour();
  world.write(".codex/config.toml", HAND_WRITTEN[".codex/config.toml"] ?? "");
  const before = world.snapshot();
  const codex = (await world.harnesses("install --print")).find(({ harness }) => harness === "codex");
  expect(codex?.status).toBe("planned");
  expect(codex?.files.map(({ path, action, keys }) => [path.replace(`${world.home}/`, ""), action, keys])).toEqual([
    [".codex/config.toml", "edit", ["mcp_servers.talking-stick", "sandbox_workspace_write.writable_roots"]],
    [
      ".codex/hooks.json",
      "make",
      [
        "hooks.SessionStart",
        "hooks.UserPromptSubmit",
        "hooks.PreToolUse",
        "hooks.Stop",
        "hooks.SessionEnd",
        "hooks.Interrupt",
      ],
    ],
    [".agents/skills/talking-stick/SKILL.md", "make", []],
  ]);
  expect(world.snapshot()).toEqual(before);
  expect(existsSync(join(world.home, ".local"))).toBe(false);
});

describe("what is written", () => {
  it("never lies as a program where a sandbox lets an agent write", async () => {
    const world = allFour();
    const older = join(world.ownData, "hooks/tt-hook");
    await world.type("install");
    const root = /writable_roots = \["(.*)"\]/.exec(world.read(".codex/config.toml"))?.[1] ?? "";
    expect([root, statSync(root).mode & 0o777]).toEqual([world.ownData, 0o700]);
    const texts = Object.entries(world.snapshot()).filter(([name]) => /hooks|settings|plugin|config|\.json/.test(name));
    const executed = texts.flatMap(([, text]) =>
      [...text.matchAll(/\/[^\s'"]*(?:tt-hook|\.c?js)\b/g)].map(([path]) => path),
    );
    expect(new Set(executed.map((path) => basename(path)))).toEqual(
      new Set(["tt-hook", "tt.cjs", "hook.cjs", "opencode-plugin.js"]),
    );
    expect(executed.filter((path) => path.startsWith(root))).toEqual([]);
    // Neither does what an earlier version has left there.
    for (const remembered of [true, false]) {
      world.older(older);
      if (!remembered) world.forget();
      await world.type("install");
      expect(existsSync(older)).toBe(false);
      expect(JSON.stringify(world.snapshot())).not.toContain(older);
    }
  });

  it.each(["", ".local", ".local/state/tt"])("a data directory that holds programs is refused: ~/%s", async (name) => {
    const world = allFour();
    const data = join(world.home, name);
    if (name === "") chmodSync(data, 0o700);
    const outcome = await world.type("install codex --json", { env: { TT_DATA_DIR: data } });
    expect([outcome.code, outcome.error()["field"]]).toEqual([5, "TT_DATA_DIR"]);
    expect(existsSync(join(world.home, ".codex/config.toml"))).toBe(false);
  });

  it("is absolute and pinned, in each harness's own form", async () => {
    const world = allFour();
    await world.type("install");
    const env = { TT_DATA_DIR: world.ownData };
    const words = [world.program, "mcp"];
    const { execPath: command } = process;
    const claude = { type: "stdio", command, args: words, env };
    expect(parsed(world.read(".claude.json"))["mcpServers"]).toEqual({ "talking-stick": claude });
    expect(parsed(world.read(".gemini/settings.json"))["mcpServers"]).toEqual({
      "talking-stick": { command, args: words, env },
    });
    expect(parsed(world.read(".config/opencode/opencode.json"))["mcp"]).toEqual({
      "talking-stick": { type: "local", command: [command, ...words], environment: env },
    });
    expect(world.read(".codex/config.toml")).toContain(`writable_roots = ["${world.ownData}"]`);
    const gemini = parsed(world.read(".gemini/settings.json"))["hooks"] as Record<string, object[]>;
    const names = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"];
    expect(Object.keys(gemini)).toEqual(names);
    expect(gemini["BeforeTool"]).toMatchObject([{ matcher: "^invoke_agent$" }]);
    expect(gemini["AfterTool"]).toMatchObject([
      { matcher: "^(?!invoke_agent$)", hooks: [{ type: "command", timeout: 3000 }] },
      { matcher: "^invoke_agent$", hooks: [{ type: "command", timeout: 3000 }] },
    ]);
    const hook = parsed(world.read(".codex/hooks.json"))["hooks"] as Record<string, object[]>;
    expect(hook["Stop"]).toMatchObject([{ hooks: [{ type: "command", timeout: 3 }] }]);
    expect(lastWords(hook["Interrupt"])).toEqual(["codex turn-broken"]);
    const ofClaude = parsed(world.read(".claude/settings.json"))["hooks"] as Record<string, object[]>;
    expect(lastWords(ofClaude["PostToolBatch"])).toEqual(["claude post-tool"]);
    expect(lastWords(ofClaude["StopFailure"])).toEqual(["claude turn-broken"]);
    expect(lastWords(ofClaude["PreToolUse"])).toEqual(["claude pre-tool", "claude own-tool"]);
    expect(ofClaude["PreToolUse"]?.map((group) => (group as { matcher?: string }).matcher)).toEqual([
      undefined,
      "mcp__talking-stick__.*",
    ]);
  });

  it("runs silently in a shell, also when its program is gone, whatever the directory is called", async () => {
    const world = allFour();
    const data = join(world.root, `it's "data" $HOME`);
    await world.done("install claude --yes", { env: { TT_DATA_DIR: data } });
    const script = world.hookScript;
    expect(statSync(script).mode & 0o777).toBe(0o700);
    const lines = commandsIn(world.read(".claude/settings.json"));
    expect(lines.map((line) => line.split(" ").slice(-2).join(" "))).toEqual([
      "claude session-start",
      "claude prompt",
      "claude pre-tool",
      "claude own-tool",
      "claude stop",
      "claude session-end",
      "claude post-tool",
      "claude turn-broken",
    ]);
    const run = () =>
      lines.map((line) => spawnSync("sh", ["-c", line], { input: "{}", encoding: "utf8", env: world.env() }));
    for (const { status, stderr } of run()) expect([status, stderr]).toEqual([0, ""]);
    rmSync(script);
    for (const { status, stdout, stderr } of run()) expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });

  it("goes where the variables of a harness say, and nowhere else", async () => {
    const world = new InstallWorld();
    const env = {
      CLAUDE_CONFIG_DIR: world.directory("home/c"),
      CODEX_HOME: world.directory("home/x"),
      XDG_CONFIG_HOME: world.directory("home/config"),
      GEMINI_CLI_HOME: world.directory("home/g"),
    };
    world.directory("home/g/.gemini");
    world.directory("home/config/opencode");
    world.write("config/opencode/opencode.jsonc", "{}");
    await world.type("install", { env });
    const made = Object.keys(world.snapshot()).filter((name) => /\.(json|jsonc|toml|md)$/.test(name));
    expect(made).toEqual([
      ".agents/skills/talking-stick/SKILL.md",
      "c/.claude.json",
      "c/settings.json",
      "c/skills/talking-stick/SKILL.md",
      "config/opencode/opencode.jsonc",
      "g/.agents/skills/talking-stick/SKILL.md",
      "g/.gemini/settings.json",
      "x/config.toml",
      "x/hooks.json",
    ]);
  });

  it("is made for a program on the path that has no directory yet, and goes with it", async () => {
    const world = new InstallWorld();
    const programs = world.directory("programs");
    writeFileSync(join(programs, "codex"), "#!/bin/sh\n");
    chmodSync(join(programs, "codex"), 0o755);
    await world.type("install", { env: { PATH: programs } });
    expect(readdirSync(join(world.home, ".codex")).toSorted()).toEqual(["config.toml", "hooks.json"]);
    await world.type("uninstall");
    expect(world.snapshot()).toEqual({});
  });
});

it("copies of what was there are kept once, for their owner alone, and go when they are in their place again", async () => {
  const world = allFour();
  const text = HAND_WRITTEN[".gemini/settings.json"] ?? "";
  world.write(".gemini/settings.json", text);
  const backups = join(world.state, "backups");
  const [gemini] = await world.harnesses("install gemini");
  const kept = gemini?.files.flatMap(({ backup }) => backup ?? []) ?? [];
  expect(
    kept.map((path) => [statSync(path).mode & 0o777, path.startsWith(`${backups}/gemini-settings.json.`)]),
  ).toEqual([[0o600, true]]);
  expect(world.read(kept[0]?.replace(`${world.home}/`, "") ?? "")).toBe(text);
  for (let round = 0; round < 7; round += 1) {
    world.write(".gemini/settings.json", `{ "round": ${round} }`);
    await world.type("install gemini");
    await world.type("install gemini");
  }
  expect(readdirSync(backups)).toHaveLength(5);
  await world.type("uninstall gemini");
  expect(world.read(".gemini/settings.json")).toBe('{ "round": 6 }');
});

it("several at once do not disturb each other", async () => {
  const world = allFour();
  for (const [file, text] of Object.entries(HAND_WRITTEN)) world.write(file, text);
  const before = world.snapshot();
  for (let round = 0; round < 3; round += 1) {
    const outcomes = await Promise.all([1, 2, 3].map(() => world.type("install --json")));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    const ledger = parsed(readFileSync(join(world.state, "install.json"), "utf8"));
    expect(Object.keys(ledger["harnesses"] ?? {})).toHaveLength(4);
    expect(world.read(".claude/settings.json").match(/exec/g)).toHaveLength(8);
    const ends = await Promise.all([1, 2].map(() => world.type("uninstall --json")));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(world.snapshot()).toEqual(before);
    expect(existsSync(world.state)).toBe(false);
  }
});

it("a password is not written into the files of other programs, and not shown", async () => {
  const world = allFour();
  const before = world.snapshot();
  const address = "postgres://me:s3cret-word@db/tt";
  const outcome = await world.type("install --json", { env: { TT_STORE: address } });
  expect([outcome.code, outcome.error()["field"]]).toEqual([5, "TT_STORE"]);
  expect(`${outcome.stdout}${outcome.stderr}`).not.toContain("s3cret-word");
  expect(world.snapshot()).toEqual(before);
  await world.type("install claude", { env: { TT_STORE: "postgres://db/tt" } });
  expect(world.read(".claude.json")).toContain('"TT_STORE": "postgres://db/tt"');
});

it("a data directory that others could use is not pointed to", async () => {
  const world = allFour();
  mkdirSync(world.ownData, { recursive: true, mode: 0o755 });
  chmodSync(world.ownData, 0o755);
  const outcome = await world.type("install --json");
  expect([outcome.code, outcome.error()["error"]]).toEqual([70, "store_unsafe"]);
  expect(existsSync(join(world.home, ".claude.json"))).toBe(false);
});

describe("where a harness cannot be set up", () => {
  it("the script and the skill are written anyway, so that the rest can be written by hand, and go again", async () => {
    const world = new InstallWorld();
    world.write(".claude/settings.json", "{");
    const before = world.snapshot();
    const planned = await world.type("install --print --json");
    expect([planned.code, planned.json()["written"], world.snapshot()]).toEqual([5, false, before]);
    const outcome = await world.type("install");
    expect(outcome.code).toBe(5);
    expect(outcome.stdout).toContain("Claude Code: cannot be done, see below. These files are independent of it:");
    expect(outcome.stdout).toContain("tt-hook (the program that the hooks call)");
    expect(outcome.stderr).toContain("is not valid JSON (line 1, column 2)");
    expect(Object.keys(world.snapshot()).filter((name) => !(name in before))).toEqual(
      expect.arrayContaining([".claude/skills/talking-stick/SKILL.md", ".local/state/tt/hooks/tt-hook"]),
    );
    expect(world.read(".claude/settings.json")).toBe("{");
    const now = world.snapshot();
    expect((await world.type("install claude")).stdout).toBe("Claude Code: cannot be done, see below.\n");
    expect(world.snapshot()).toEqual(now);
    await world.type("uninstall");
    expect(world.snapshot()).toEqual(before);
    await world.type("install");
    world.write(".claude/settings.json", "{}");
    expect(await world.harnesses("install claude")).toMatchObject([{ status: "done" }]);
    expect(await world.findings()).toMatchObject([{ level: "ok" }]);
  });

  it.each([
    ["claude", ".claude/settings.json", '{ "hooks": { "Stop": {} } }', "hooks.Stop", "line 1, column 14"],
    ["claude", ".claude.json", '{\n"mcpServers": 3 }', "mcpServers", "line 2, column 1"],
    ["opencode", ".config/opencode/opencode.json", '{\n  // none\n  "mcp": [] }', "mcp", "line 3, column 3"],
    ["codex", ".codex/config.toml", 'model = "x"\nmcp_servers = 3\n', "mcp_servers", "line 2, column 1"],
    [
      "codex",
      ".codex/config.toml",
      '[sandbox_workspace_write]\n\nwritable_roots = "/x"\n',
      "sandbox_workspace_write.writable_roots",
      "line 3, column 1",
    ],
    ["codex", ".codex/config.toml", 'a = 1\nmcp_servers = { x = { url = "y" } }\n', "mcp_servers", "line 2, column 1"],
    ["claude", ".claude/settings.json", '{\n"hooks": {},\n"hooks": { "Stop": [] } }', "hooks", "line 2, column 1"],
    ["codex", ".codex/config.toml", '[[mcp_servers]]\ncommand = "x"\n', "mcp_servers", "line 1, column 1"],
    [
      "codex",
      ".codex/config.toml",
      '[mcp_servers.talking-stick]\ncommand = "x"\n[other]\n[mcp_servers.talking-stick.env]\n',
      "mcp_servers.talking-stick",
      "line 1, column 1",
    ],
  ])("%s is told which key of %s is in the way: %s", async (harness, file, text, key, place) => {
    const world = allFour();
    const path = world.write(file, text);
    const [outcome] = await world.harnesses(`install ${harness}`);
    expect(outcome).toMatchObject({
      status: "refused",
      reason: `${key} in ${path} (${place}) conflicts with our entries.`,
      next: expect.stringMatching(new RegExp(`^Change or move ${key}, or write our .* by hand`)),
    });
    expect(world.read(file)).toBe(text);
  });
});
