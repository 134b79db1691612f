import { programOf } from "../installed.ts";
import { type Driver, jsonLines, outputOf } from "./driver.ts";

const PROVIDER = '{name="Scripted",base_url="MODEL_URL/v1",wire_api="responses",env_key="SCRIPTED_KEY"}';

export const codex: Driver = {
  name: "codex",
  ours: (tool, input = {}) => ({ namespace: "mcp__talking_stick", tool, input }),
  shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
  configure(world, hooks = {}) {
    const { command, args, env } = world.server;
    world.write("home/.codex/hooks.json", { hooks });
    world.write(
      "home/.codex/config.toml",
      [
        'model = "scripted-model"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        "[features]\nplugins = false",
        "[analytics]\nenabled = false",
        `[sandbox_workspace_write]\nwritable_roots = [${JSON.stringify(world.data)}]`,
        `[mcp_servers.talking-stick]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
        `[mcp_servers.talking-stick.env]\nTT_DATA_DIR = ${JSON.stringify(env.TT_DATA_DIR)}`,
      ].join("\n"),
    );
  },
  async prompt(world, text) {
    const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "workspace-write"];
    const words = ["exec", ...flags, "-c", `model_providers.scripted=${PROVIDER}`, text];
    const child = world.run([...programOf("codex"), ...words], { SCRIPTED_KEY: "scripted" });
    child.stdin.end();
    const lines = jsonLines(await outputOf(child));
    return String(lines.find(({ type }) => type === "thread.started")?.["thread_id"]);
  },
};
