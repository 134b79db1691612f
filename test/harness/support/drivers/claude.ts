/** The real Claude Code without its terminal: prompts go in and messages come out, a line of JSON each. */
import type { HarnessWorld } from "../harness-world.ts";
import { programOf } from "../installed.ts";
import { type Driver, oursAs } from "./driver.ts";

interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly tools?: readonly string[];
}

const KEY = "sk-ant-scripted-model-of-the-tests";
const ENV = { ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };

export const claude: Driver = {
  name: "claude",
  ours: (operation, input) => oursAs(operation, input, (tool) => `mcp__talking-stick__${tool}`),
  shell: (command) => ({ tool: "Bash", input: { command, description: "a command" } }),
  prepare(world) {
    world.write("home/.claude/settings.json", { permissions: { allow: ["mcp__talking-stick", "Bash"] } });
    world.write("home/.claude.json", {
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [KEY.slice(-20)] },
      projects: { [world.tree]: { hasTrustDialogAccepted: true } },
    });
  },
  async prompt(world, text, { resumed, flags = [], env } = {}) {
    const words = resumed === undefined ? flags : [...flags, "--resume", resumed];
    const session = new ClaudeSession(world, words, env);
    await session.prompt(text);
    await session.end();
    return session.id;
  },
  inTerminal: {
    command: programOf("claude"),
    env: ENV,
    isReady: ({ title, screen }) =>
      title.startsWith("✳") && screen.includes("❯") && !screen.includes("esc to interrupt"),
    emptyColumns: [2],
    isStoppable: ({ screen }) => /esc to interrupt/.test(screen),
    failsAt: 400,
    escapes: 1,
    compacts: { command: "/compact", done: /[Cc]ompacted/ },
    asks: {
      command: [...programOf("claude"), "--permission-mode", "default"],
      step: { tool: "Write", input: { file_path: "asked.txt", content: "asked" } },
      question: /Do you want to (create|make)/,
    },
  },
};

/** A session that takes one prompt after the other. */
export class ClaudeSession {
  readonly #lines: Line[] = [];
  readonly #ended: Promise<number | null>;
  readonly #child;
  readonly #watchers = new Set<() => void>();
  #errors = "";

  constructor(world: HarnessWorld, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const formats = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    this.#child = world.run([...programOf("claude"), "-p", ...formats, ...flags], { ...ENV, ...env });
    let rest = "";
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const all = `${rest}${text}`.split("\n");
      rest = all.pop() ?? "";
      this.#lines.push(...all.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Line));
      for (const look of this.#watchers) look();
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", resolve);
    });
  }

  /** Gives a prompt and resolves when it has been dealt with. */
  async prompt(content: string): Promise<void> {
    const before = this.#results.length;
    this.#child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (this.#results.length <= before) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      void this.#ended.then(() => reject(new Error(`Claude Code ended: ${this.#errors}`)));
    });
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    const code = await this.#ended;
    if (code !== 0) throw new Error(`Claude Code ended with ${code}: ${this.#errors}`);
  }

  get #results(): readonly Line[] {
    return this.#lines.filter(({ type }) => type === "result");
  }

  /** As it says of its latest turn. */
  get id(): string {
    return this.#results.at(-1)?.session_id ?? "";
  }

  /** The names of the tools it offers its model. */
  get tools(): readonly string[] {
    return this.#lines.find(({ subtype }) => subtype === "init")?.tools ?? [];
  }
}
