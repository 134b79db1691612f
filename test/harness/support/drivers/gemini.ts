import { programOf } from "../installed.ts";
import { type Driver, jsonLines, oursAs, outputOf } from "./driver.ts";

// This model's name spares it a request about which model to use.
const WITH_MODEL = [...programOf("gemini"), "-m", "gemini-2.5-flash"];
const MAY_ALL = ["--approval-mode", "yolo"];
const COMMAND = [...WITH_MODEL, ...MAY_ALL];
const ENV = { GEMINI_API_KEY: "scripted", GEMINI_CLI_NO_RELAUNCH: "true" };

export const gemini: Driver = {
  name: "gemini",
  ours: (operation, input) => oursAs(operation, input, (tool) => `mcp_talking-stick_${tool}`),
  shell: (command) => ({ tool: "run_shell_command", input: { command, description: "a command" } }),
  prepare(world) {
    world.write("home/.gemini/settings.json", {
      // Without it another way to sign in is chosen, which knows no address but its own.
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    });
  },
  async prompt(world, text, { resumed, flags = MAY_ALL, env } = {}) {
    const going = resumed === undefined ? [] : ["--resume", resumed];
    const words = [...WITH_MODEL, ...flags, ...going, "-o", "stream-json", "-p", text];
    const child = world.run(words, { ...ENV, ...env });
    child.stdin.end();
    const lines = jsonLines(await outputOf(child));
    return String(lines.find(({ type }) => type === "init")?.["session_id"]);
  },
  inTerminal: {
    command: COMMAND,
    env: ENV,
    isReady: ({ title, screen }) => title.startsWith("◇") && screen.includes("Type your message"),
    emptyColumns: [3],
    isStoppable: ({ screen }) => /esc to cancel/.test(screen),
    failsAt: 400,
    escapes: 1,
    compacts: { command: "/compress", done: /Chat history compressed/ },
    asks: {
      command: [...WITH_MODEL, "--approval-mode", "default", "--allowed-tools", "run_shell_command"],
      step: { tool: "write_file", input: { file_path: "asked.txt", content: "asked" } },
      question: /Apply this change|Allow/,
    },
  },
};
