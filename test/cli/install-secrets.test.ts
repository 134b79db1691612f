/** What tt install and tt uninstall show of other programs' files: keys, structure and our own values, never a user's. */
import { describe, expect, it } from "vitest";
import { type Harness, InstallWorld } from "./support/install-world.ts";

const SECRET = "s3cret";
const hook = (command: string) => ({ hooks: [{ type: "command", command }] });
const curl = hook(`curl -H 'Bearer ${SECRET}' example.org`);
const SERVER = {
  command: "node",
  args: ["/old/tt.cjs", "mcp", 4711],
  env: { TT_STORE: `postgres://u:${SECRET}@h/db`, TT_DATA_DIR: "/old" },
};

const CASES: readonly (readonly [Harness, string, string])[] = [
  ["claude", ".claude/settings.json", JSON.stringify({ hooks: { SessionStart: [], Stop: [curl], PreToolUse: [] } })],
  ["claude", ".claude.json", JSON.stringify({ mcpServers: { "talking-stick": SERVER } })],
  ["claude", ".claude.json", JSON.stringify({ mcpServers: { "talking-stick": SERVER } }, null, 2)],
  [
    "gemini",
    ".gemini/settings.json",
    `{"hooks":{"SessionStart":[/* ${SECRET} */],"AfterAgent":[${JSON.stringify(curl)}], "BeforeTool":[]}, // ${SECRET}\n}`,
  ],
  [
    "opencode",
    ".config/opencode/opencode.json",
    `{"mcp":{"x":{"key":"${SECRET}"},/* ${SECRET} */"talking-stick":{"type":"local","command":["tt"],"environment":{"TT_STORE":"postgres://u:${SECRET}@h/db"}}}}`,
  ],
  [
    "codex",
    ".codex/config.toml",
    `model = "m"\n[mcp_servers.talking-stick]\ncommand = "tt" # ${SECRET}\nargs = ["mcp"]\nenv = { TT_STORE = 'postgres://u:${SECRET}@h/db', LONG = """\na\n${SECRET}""" }\n`,
  ],
];

describe("the lines that change", () => {
  it.each(CASES)("show no value of a user's: %s in %s, %#", async (harness, path, text) => {
    const world = new InstallWorld();
    world.directory(`home/.${harness}`);
    world.write(path, text);
    const print = await world.type(`install ${harness} --print`);
    expect(print.stdout).toMatch(/^ {4}[-+] /m);
    expect(print.stdout).not.toContain(SECRET);
    expect(print.stdout).not.toContain("4711");
    expect(print.stdout).toContain("talking-stick");
  });

  it("show no value that a user added to an entry of ours when it goes", async () => {
    const world = new InstallWorld();
    const [json, toml] = [".claude.json", ".codex/config.toml"];
    for (const path of [json, toml]) world.write(path, "");
    world.write(".claude/settings.json", "{}");
    await world.type("install");
    world.write(json, world.read(json).replace('"TT_DATA_DIR"', `"MY_TOKEN": "${SECRET}", "TT_DATA_DIR"`));
    world.write(toml, world.read(toml).replace("TT_DATA_DIR", `MY_TOKEN = "${SECRET}"\nTT_DATA_DIR`));
    const { stdout } = await world.type("uninstall --print");
    for (const path of [json, toml]) expect(world.read(path)).toContain(SECRET);
    expect(stdout.match(/MY_TOKEN/g)).toHaveLength(2);
    expect(stdout).toContain(world.ownData);
    expect(stdout).not.toContain(SECRET);
  });
});
