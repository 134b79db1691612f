import { join } from "node:path";
import { programOf } from "../installed.ts";
import { type Driver, jsonLines, oursAs, outputOf } from "./driver.ts";

export const OFFLINE = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
};

/** It is at work. After the first Esc it asks for the second, and is still at work. */
const INTERRUPTIBLE = /esc (again to )?interrupt/;

export const opencode: Driver = {
  name: "opencode",
  ours: (operation, input) => oursAs(operation, input, (tool) => `talking-stick_${tool}`),
  shell: (command) => ({ tool: "bash", input: { command, description: "a command" } }),
  prepare(world) {
    const directory = join("home", ".config", "opencode");
    world.write(join(directory, "opencode.json"), {
      autoupdate: false,
      share: "disabled",
      model: "scripted/scripted",
      small_model: "scripted/scripted",
      enabled_providers: ["scripted"],
      provider: { scripted: PROVIDER },
    });
    // Beside a plugin it installs its library for plugins, and without a network waits a minute for it. Ours needs none,
    // so here is a directory in which it seems to be installed.
    const dependencies = { "@opencode-ai/plugin": "*" };
    world.write(join(directory, "package.json"), { dependencies });
    world.write(join(directory, "package-lock.json"), { lockfileVersion: 3, packages: { "": { dependencies } } });
    world.directory(join(directory, "node_modules"));
  },
  async prompt(world, text, { resumed, flags = [], env } = {}) {
    const going = resumed === undefined ? [] : ["--session", resumed];
    const words = [...programOf("opencode"), "run", "--format", "json", ...flags, ...going];
    const child = world.run(words, { ...OFFLINE, ...env });
    // As an argument its quotes would be escaped.
    child.stdin.end(text);
    const lines = jsonLines(await outputOf(child));
    return String(lines.find(({ sessionID }) => sessionID !== undefined)?.["sessionID"]);
  },
  inTerminal: {
    command: programOf("opencode"),
    env: OFFLINE,
    isReady: ({ screen }) => screen.includes("ctrl+p commands") && !INTERRUPTIBLE.test(screen),
    // On its first screen the box stands in the middle.
    emptyColumns: [5, 41],
    isStoppable: ({ screen }) => INTERRUPTIBLE.test(screen),
    failsAt: 401,
    escapes: 2,
    compacts: { command: "/compact", done: /Compaction/ },
    asks: {
      command: programOf("opencode"),
      env: { OPENCODE_PERMISSION: JSON.stringify({ edit: "ask" }) },
      step: { tool: "write", input: { filePath: "asked.txt", content: "asked" } },
      question: /Permission required/,
    },
  },
};

const MODEL = { name: "Scripted", tool_call: true, limit: { context: 100_000, output: 4000 } };

const PROVIDER = {
  npm: "@ai-sdk/openai-compatible",
  name: "Scripted",
  options: { baseURL: "{env:MODEL_URL}/v1", apiKey: "scripted" },
  // By its name, OpenCode offers the second one a tool for patches in place of those for edits.
  models: { scripted: MODEL, "gpt-5": MODEL },
};
