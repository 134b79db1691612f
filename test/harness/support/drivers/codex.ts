import { programOf } from "../installed.ts";
import { type Driver, jsonLines, oursAs, outputOf } from "./driver.ts";

/** Other commands of its read the same settings, and need no model. */
const PROVIDER = {
  name: "Scripted",
  base_url: "http://127.0.0.1:9/v1",
  wire_api: "responses",
  env_key: "SCRIPTED_KEY",
};
const ADDRESS = ["-c", 'model_providers.scripted.base_url="MODEL_URL/v1"'];
const ENV = { SCRIPTED_KEY: "scripted" };
// Its daemon would copy the whole program into the home directory and outlive the terminal.
const IN_TERMINAL = [...programOf("codex"), "--no-daemon", "--dangerously-bypass-hook-trust", ...ADDRESS];
/** While it works its title begins with a sign that turns round. */
const IDLE_TITLE = /^[\w.-]+$/;

export const codex: Driver = {
  name: "codex",
  ours: (operation, input) => ({ namespace: "mcp__talking_stick", ...oursAs(operation, input, (tool) => tool) }),
  shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
  prepare(world) {
    world.write(
      "home/.codex/config.toml",
      [
        'model = "scripted-model"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        "[features]\nplugins = false",
        "[analytics]\nenabled = false",
        `[projects.${JSON.stringify(world.tree)}]\ntrust_level = "trusted"`,
        `[model_providers.scripted]\n${assigned(PROVIDER)}`,
      ].join("\n"),
    );
  },
  async prompt(world, text, { resumed, flags = ["-s", "workspace-write"], env } = {}) {
    const usual = ["--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", ...ADDRESS];
    const going = resumed === undefined ? [] : ["resume", resumed];
    const child = world.run([...programOf("codex"), "exec", ...usual, ...flags, ...going, text], { ...ENV, ...env });
    child.stdin.end();
    const lines = jsonLines(await outputOf(child));
    return String(lines.find(({ type }) => type === "thread.started")?.["thread_id"]);
  },
  inTerminal: {
    command: IN_TERMINAL,
    env: ENV,
    isReady: ({ title, screen }) => IDLE_TITLE.test(title) && screen.includes("\n› "),
    emptyColumns: [2],
    isStoppable: ({ title }) => !IDLE_TITLE.test(title),
    failsAt: 400,
    escapes: 1,
    compacts: { command: "/compact", done: /Context compacted/ },
    asks: {
      command: [...IN_TERMINAL, "-a", "on-request", "-s", "workspace-write"],
      step: {
        tool: "exec_command",
        input: { cmd: "touch /asked", sandbox_permissions: "require_escalated", justification: "to ask" },
      },
      question: /Would you like to run/,
    },
  },
};

function assigned(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    .join("\n");
}
