/** What the user, or another program, wrote into the files that `tt install` edits. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allFour, commandsIn, HAND_WRITTEN, parsed } from "./support/install-world.ts";

/** A hook of the user's. */
const hookOf = (command: string) => ({ type: "command", command });

describe("what others write stays", () => {
  it("entries that came after ours, in files that we made", async () => {
    const world = allFour();
    await world.type("install");
    const settings = parsed(world.read(".claude/settings.json"));
    const mine = { hooks: [{ type: "command", command: "say done" }] };
    const { Stop: stop = [] } = settings["hooks"] as Record<string, object[]>;
    stop.push(mine);
    world.write(".claude/settings.json", JSON.stringify({ ...settings, model: "x" }, null, 2));
    const servers = parsed(world.read(".claude.json"));
    world.write(".claude.json", JSON.stringify({ numStartups: 1, ...servers, tipsHistory: {} }, null, 2));
    const trust = '\n[hooks.state."/h/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n';
    world.write(".codex/config.toml", `${world.read(".codex/config.toml")}${trust}`);
    await world.type("uninstall");
    expect(parsed(world.read(".claude/settings.json"))).toEqual({ hooks: { Stop: [mine] }, model: "x" });
    expect(parsed(world.read(".claude.json"))).toEqual({ numStartups: 1, tipsHistory: {} });
    expect(world.read(".codex/config.toml")).toBe(trust);
  });

  it.each([
    [".claude/settings.json", "claude"],
    [".codex/hooks.json", "codex"],
    [".gemini/settings.json", "gemini"],
  ])("a hook that was added to a group of ours: %s", async (file, harness) => {
    const world = allFour();
    await world.type(`install ${harness}`);
    const add = () => {
      const settings = parsed(world.read(file));
      const { SessionStart: groups = [] } = settings["hooks"] as Record<string, { hooks: object[] }[]>;
      const group = groups.find((one) => JSON.stringify(one).includes("tt-hook"));
      group?.hooks.unshift(hookOf("say before"));
      group?.hooks.push(hookOf("say after"));
      world.write(file, JSON.stringify(settings, null, 2));
    };
    const ours = () => commandsIn(world.read(file));
    const count = ours().length;
    expect(count).toBeGreaterThanOrEqual(5);
    add();
    expect(ours()).toHaveLength(count);
    expect((await world.findings()).find(({ name }) => name === harness)).toMatchObject({ level: "warning" });
    expect(await world.harnesses(`install ${harness}`)).toMatchObject([{ status: "done" }]);
    expect(await world.harnesses(`install ${harness}`)).toMatchObject([{ status: "unchanged" }]);
    expect(ours()).toHaveLength(count);
    for (const remembered of [true, false]) {
      if (!remembered) {
        await world.type(`install ${harness}`);
        add();
        world.forget();
      }
      await world.type(`uninstall ${harness}`);
      const left = parsed(world.read(file))["hooks"] as Record<string, { hooks: object[] }[]>;
      expect(Object.keys(left)).toEqual(["SessionStart"]);
      expect(left["SessionStart"]?.[0]?.hooks).toContainEqual(hookOf("say before"));
      expect(ours()).toEqual([]);
    }
  });

  it("a root that was writable before", async () => {
    const world = allFour();
    const text = `[sandbox_workspace_write]\nwritable_roots = ["${world.ownData}"]\n`;
    world.write(".codex/config.toml", text);
    await world.type("install codex");
    expect(world.read(".codex/config.toml").split(world.ownData)).toHaveLength(3);
    await world.type("uninstall codex");
    expect(world.read(".codex/config.toml")).toBe(text);
  });

  it("without anything remembered, ours go by their looks, and a root stays", async () => {
    const world = allFour();
    for (const file of [".codex/config.toml", ".codex/hooks.json"]) world.write(file, HAND_WRITTEN[file] ?? "");
    await world.type("install");
    world.forget();
    const again = await world.harnesses("install");
    expect(again.map(({ status }) => status)).toEqual(["unchanged", "unchanged", "unchanged", "unchanged"]);
    world.forget();
    await world.type("uninstall");
    expect(JSON.stringify(world.snapshot())).not.toMatch(/talking-stick|tt-hook|tt\.cjs/);
    expect(world.read(".codex/config.toml")).toContain(world.ownData);
    expect(world.read(".codex/config.toml")).toContain('"/srv/cache", # shared');
  });

  it("keys that the user has added to our server, also when it is written again", async () => {
    const world = allFour();
    await world.type("install gemini");
    const settings = world.read(".gemini/settings.json");
    world.write(".gemini/settings.json", settings.replace('"command": "/', '"trust": true,\n      "command": "/'));
    expect(await world.harnesses("install gemini")).toMatchObject([{ status: "unchanged" }]);
    world.write(".gemini/settings.json", world.read(".gemini/settings.json").replace('"mcp"', '"--debug", "mcp"'));
    expect(await world.harnesses("install gemini")).toMatchObject([{ status: "done" }]);
    expect(parsed(world.read(".gemini/settings.json"))["mcpServers"]).toMatchObject({
      "talking-stick": { trust: true, args: [world.program, "mcp"] },
    });
    await world.type("uninstall gemini");
    expect(existsSync(join(world.home, ".gemini/settings.json"))).toBe(false);
  });

  it.each([
    ["right after ours", "", ""],
    ["apart from ours", "\n[tui]\ntheme = 'x'\n", ""],
    [
      "before and after ours",
      "\n[tui]\ntheme = 'x'\n",
      "[mcp_servers.talking-stick.tools.a]\napproval_mode = 'approve'\n",
    ],
  ])("no half of a server: what was added below ours goes with it (%s)", async (_, between, first) => {
    const world = allFour();
    world.write(".codex/config.toml", "model = 'x'\n");
    await world.type("install codex");
    const added = "[mcp_servers.talking-stick.tools.join_path]\napproval_mode = 'approve'\n";
    const [top, ...rest] = world.read(".codex/config.toml").split("\n[");
    world.write(".codex/config.toml", [`${top}\n${first}`, ...rest].join("\n[") + between + added);
    expect(await world.harnesses("install codex")).toMatchObject([{ status: "unchanged" }]);
    expect(await world.harnesses("uninstall codex")).toMatchObject([{ status: "done" }]);
    const left = world.read(".codex/config.toml");
    expect(left).not.toContain("talking-stick");
    expect(left.replaceAll(/\n+/g, "\n")).toBe(`model = 'x'\n${between.trimStart()}`);
  });

  it("shared files, until the last harness that needs them goes", async () => {
    const world = allFour();
    await world.type("install codex gemini");
    const skill = join(world.home, ".agents/skills/talking-stick/SKILL.md");
    await world.type("uninstall codex");
    expect([existsSync(skill), existsSync(world.hookScript)]).toEqual([true, true]);
    await world.type("uninstall gemini");
    expect([existsSync(join(world.home, ".agents")), existsSync(world.state)]).toEqual([false, false]);
  });

  it.each([true, false])("files of the user's that speak of us (with a record: %s)", async (remembered) => {
    const world = allFour();
    await world.type("install");
    const own = {
      ".claude/skills/talking-stick/SKILL.md":
        "---\nname: talking-stick\n---\n# talking-stick 1.2.3 as I use it\n<!-- talking-stick 1.2.3 -->\nmine\n",
      ".agents/skills/talking-stick/SKILL.md": "mine\n\n<!-- talking-stick in short -->\n",
      ".config/opencode/plugin/talking-stick.js": "// talking-stick for me\nexport const Mine = async () => ({});\n",
      ".local/state/tt/hooks/tt-hook": "#!/bin/sh\necho\n# talking-stick 0.1.0\n",
    };
    for (const [name, text] of Object.entries(own)) world.write(name, text);
    if (!remembered) {
      world.forget();
      // The mark alone is not enough.
      own[".agents/skills/talking-stick/SKILL.md"] = "mine\n\n<!-- talking-stick 0.1.0 -->\n";
      world.write(".agents/skills/talking-stick/SKILL.md", own[".agents/skills/talking-stick/SKILL.md"]);
    }
    const kept = () => Object.keys(own).map((name) => [name, existsSync(join(world.home, name)) && world.read(name)]);
    await world.type("uninstall");
    expect(kept()).toEqual(Object.entries(own));
    await world.type("install");
    await world.type("uninstall");
    expect(kept()).toEqual(Object.entries(own));
  });

  it("a skill of the same name that the user wrote comes back", async () => {
    const world = allFour();
    world.write(".claude/skills/talking-stick/SKILL.md", "mine\n");
    await world.type("install claude");
    expect(world.read(".claude/skills/talking-stick/SKILL.md")).toContain("name: talking-stick");
    await world.type("uninstall claude");
    expect(world.read(".claude/skills/talking-stick/SKILL.md")).toBe("mine\n");
  });
});
