/** What doctor finds about harnesses, and that what it proposes mends it. It only looks. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { InstallWorld, PLACES } from "./support/install-world.ts";

async function setUp(...harnesses: (keyof typeof PLACES)[]): Promise<InstallWorld> {
  const world = new InstallWorld();
  for (const harness of harnesses) mkdirSync(join(world.home, PLACES[harness].directory), { recursive: true });
  await world.type("install");
  return world;
}

const replaceIn = (path: string, from: string | RegExp, to: string) => {
  const text = readFileSync(path, "utf8");
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${path} does not say ${from}`);
  writeFileSync(path, changed);
};

const script = (world: InstallWorld) => world.hookScript;

/** What may go wrong after setting up Claude Code, and a word of what is said about it. */
const DAMAGE: Readonly<Record<string, readonly [(world: InstallWorld) => void, RegExp]>> = {
  "the program behind the hooks was deleted": [(world) => rmSync(script(world)), /hooks\/tt-hook is missing$/],
  "it may not be executed": [(world) => chmodSync(script(world), 0o600), /may not be executed/],
  "it is of another version": [
    (world) => replaceIn(script(world), /^# talking-stick .*$/m, "# talking-stick 0.0.1"),
    /tt-hook is from version 0\.0\.1$/,
  ],
  "it names another Node": [
    (world) => replaceIn(script(world), new RegExp(process.execPath, "g"), "/gone/node"),
    /uses another Node/,
  ],
  "it was edited": [(world) => replaceIn(script(world), "exit 0", "exit 1"), /tt-hook was edited/],
  "a hook was taken away": [
    (world) => replaceIn(join(world.home, ".claude/settings.json"), '"Stop"', '"Stopped"'),
    /settings\.json lacks hooks\.Stop/,
  ],
  "a hook that tells of broken turns was taken away": [
    (world) => replaceIn(join(world.home, ".claude/settings.json"), '"StopFailure"', '"Failure"'),
    /settings\.json lacks hooks\.StopFailure/,
  ],
  "the hook before our own tools is one of another version": [
    (world) => replaceIn(join(world.home, ".claude/settings.json"), "claude own-tool", "claude pre-tool"),
    /settings\.json lacks hooks\.PreToolUse/,
  ],
  "the hooks are all gone": [(world) => rmSync(join(world.home, ".claude/settings.json")), /settings\.json is missing/],
  "the server's program is gone": [
    (world) => replaceIn(join(world.home, ".claude.json"), /"[^"]*tt\.cjs"/, '"/gone/tt.cjs"'),
    /names \/gone\/tt\.cjs, which does not exist/,
  ],
  "the server was edited": [
    (world) => replaceIn(join(world.home, ".claude.json"), '"mcp"', '"mcp", "--tools", "core"'),
    /mcpServers\.talking-stick in .* is not what this tt would write/,
  ],
  "the server uses another store": [
    (world) => replaceIn(join(world.home, ".claude.json"), world.ownData, "/elsewhere"),
    /uses another TT_DATA_DIR than tt does here: \/elsewhere there/,
  ],
  "the server names no store": [
    (world) => replaceIn(join(world.home, ".claude.json"), /"TT_DATA_DIR": "[^"]*"/, ""),
    /names no TT_DATA_DIR, which tt uses here/,
  ],
  "the skill is an old one": [
    (world) =>
      replaceIn(
        join(world.home, ".claude/skills/talking-stick/SKILL.md"),
        /talking-stick \S+ -->/,
        "talking-stick 0.0.1 -->",
      ),
    /SKILL\.md is from version 0\.0\.1/,
  ],
  "a file cannot be read any more": [
    (world) => replaceIn(join(world.home, ".claude/settings.json"), "{", "{{"),
    /settings\.json is not valid JSON/,
  ],
};

it.each(Object.entries(DAMAGE))("%s", async (_, [damage, told]) => {
  const world = await setUp("claude");
  expect(await world.findings()).toMatchObject([{ level: "ok" }]);
  damage(world);
  const before = world.snapshot();
  // Only its user can mend a file that is broken.
  const isBroken = told.source.includes("not valid");
  const [finding, ...others] = await world.findings();
  const next = isBroken
    ? expect.stringMatching(/settings\.json is not valid JSON \(line 1, .*\. Correct it, then run tt install claude\.$/)
    : "tt install claude";
  expect(finding).toMatchObject({ name: "claude", level: "warning", next });
  expect([finding?.["text"], others]).toEqual([expect.stringMatching(told), []]);
  expect(world.snapshot()).toEqual(before);
  const mended = await world.type("install claude");
  expect(mended.code).toBe(isBroken ? 5 : 0);
  expect(await world.findings()).toMatchObject([{ level: isBroken ? "warning" : "ok" }]);
});

/** Settings of the user that were seen to keep the real programs from calling our hooks, by the file that has them. */
const SWITCHES: readonly (readonly [harness: keyof typeof PLACES, file: string, text: string, told: RegExp])[] = [
  ["claude", "home/.claude/settings.json", '"disableAllHooks": true,', /disableAllHooks in .*home\/\.claude\/settings/],
  ["claude", "tree/.claude/settings.json", '"disableAllHooks": true', /disableAllHooks in .*tree\/\.claude\/settings/],
  ["claude", "tree/.claude/settings.local.json", '"disableAllHooks": true', /disableAllHooks in .*local\.json/],
  ["gemini", "home/.gemini/settings.json", '"hooksConfig": { "enabled": false },', /hooksConfig\.enabled in/],
  ["gemini", "tree/.gemini/settings.json", '"hooksConfig": { "disabled": ["talking-stick"] }', /hooksConfig\.disabled/],
];

it.each(SWITCHES)("%s is told to run no hooks in %s", async (harness, file, text, told) => {
  const world = await setUp(harness);
  const tree = join(world.root, "tree");
  mkdirSync(join(tree, `.${harness}`), { recursive: true });
  const path = file.startsWith("home/") ? join(world.home, file.slice(5)) : join(world.root, file);
  const isThere = existsSync(path);
  if (!isThere) writeFileSync(path, "{}");
  expect(await world.findings({ cwd: tree })).toMatchObject([{ level: "ok" }]);
  replaceIn(path, "{", `{ ${text}`);
  expect(await world.findings({ cwd: tree })).toMatchObject([
    { name: harness, level: "warning", text: expect.stringMatching(told) as string },
  ]);
});

it("a local setting that lets Claude Code run hooks again overrides that of its user", async () => {
  const world = await setUp("claude");
  const tree = join(world.root, "tree");
  mkdirSync(join(tree, ".claude"), { recursive: true });
  replaceIn(join(world.home, ".claude/settings.json"), "{", '{ "disableAllHooks": true,');
  expect(await world.findings({ cwd: tree })).toMatchObject([{ level: "warning" }]);
  writeFileSync(join(tree, ".claude/settings.local.json"), '{ "disableAllHooks": false }');
  expect(await world.findings({ cwd: tree })).toMatchObject([{ level: "ok" }]);
});

it("Codex without the feature hooks, OpenCode without plugins and a folder that Gemini CLI must not trust are told", async () => {
  const world = await setUp("codex", "gemini", "opencode");
  const config = join(world.home, ".codex/config.toml");
  writeFileSync(config, `${readFileSync(config, "utf8")}\n[features]\nhooks = false\n`);
  world.write(".gemini/trustedFolders.json", JSON.stringify({ [world.root]: "DO_NOT_TRUST" }));
  const findings = await world.findings({ cwd: world.root, env: { OPENCODE_PURE: "1" } });
  const texts = findings.filter(({ level }) => level === "warning").map(({ name, text }) => `${name}: ${text}`);
  for (const told of [/codex: .*features\.hooks = false/, /gemini: .*DO_NOT_TRUST/, /opencode: .*OPENCODE_PURE/]) {
    expect(texts.filter((text) => told.test(text))).toHaveLength(1);
  }
});

it("another data directory than tt would use now is told for tools and hooks, and setting up pins the new one", async () => {
  const world = await setUp("claude", "codex");
  const env = { TT_DATA_DIR: join(world.root, "elsewhere") };
  const texts = (await world.findings({ env })).map(({ text }) => text).join("\n");
  expect(texts).toContain(
    `uses another TT_DATA_DIR than tt does here: ${world.ownData} there, ${env.TT_DATA_DIR} here`,
  );
  await world.type("install", { env });
  expect((await world.findings({ env })).filter(({ text }) => !text?.includes("trust"))).toMatchObject([
    { level: "ok" },
  ]);
  expect(world.read(".codex/config.toml")).not.toContain(world.ownData);
  expect(Object.keys(world.snapshot()).filter((name) => name.endsWith("tt-hook"))).toEqual([
    ".local/state/tt/hooks/tt-hook",
  ]);
});

it("a harness that is here and not set up is named, and none that is not here", async () => {
  const world = new InstallWorld();
  expect(await world.findings()).toEqual([]);
  mkdirSync(join(world.home, ".gemini"));
  expect(await world.findings()).toMatchObject([{ name: "gemini", level: "ok", next: "tt install gemini" }]);
});

it("one that could not be set up is not said to be one command away", async () => {
  const world = new InstallWorld();
  const path = world.write(".gemini/settings.json", '{\n  "hooks": []\n}\n');
  const [finding] = await world.findings();
  expect(finding).toMatchObject({
    level: "warning",
    text: `Gemini CLI is installed but cannot be set up yet: hooks in ${path} (line 2, column 3) conflicts with our entries.`,
    next: expect.stringMatching(/^Change or move hooks.* then run tt install gemini\.$/),
  });
  world.write(".gemini/settings.json", "{{");
  const text = expect.stringMatching(/cannot be set up yet: .*settings\.json is not valid JSON \(line 1/);
  const next = "Correct it, then run tt install gemini.";
  expect(await world.findings()).toMatchObject([{ level: "warning", text, next }]);
});

it("hooks that Codex does not trust are told, until it has written down its trust in these very hooks", async () => {
  const world = await setUp("codex");
  const [untrusted] = await world.findings();
  expect(untrusted).toMatchObject({ level: "warning", next: "start codex and let it review the hooks" });
  expect(untrusted?.["text"]).toContain("SessionStart, UserPromptSubmit, PreToolUse, Stop, SessionEnd, Interrupt");
  // As Codex 0.166.0 writes it for a hook at this place, here with the digest of another hook.
  const hooksFile = join(world.home, ".codex/hooks.json");
  const events = ["session_start", "user_prompt_submit", "pre_tool_use", "stop", "session_end", "interrupt"];
  const trust = events
    .map((event) => `[hooks.state."${hooksFile}:${event}:0:0"]\ntrusted_hash = "sha256:0"\n`)
    .join("\n");
  world.write(".codex/config.toml", `${world.read(".codex/config.toml")}\n${trust}`);
  expect(await world.findings()).toMatchObject([{ level: "warning" }]);
});
