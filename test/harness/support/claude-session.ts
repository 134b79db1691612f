/** A session of the real Claude Code without its terminal: prompts go in and messages come out, a line of JSON each. */
import type { HarnessWorld } from "./harness-world.ts";
import type { Scripts } from "./script.ts";

interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly tools?: readonly string[];
  readonly message?: { readonly content: readonly { readonly type: string; readonly content?: unknown }[] };
}

export class ClaudeSession {
  readonly lines: Line[] = [];
  readonly ended: Promise<number | null>;
  readonly #child;
  readonly #watchers = new Set<() => void>();
  #errors = "";

  constructor(world: HarnessWorld, scripts: Scripts, hooks: object = {}) {
    world.write("claude-home/.claude/settings.json", {
      permissions: { allow: ["mcp__talking-stick", "Bash"] },
      hooks,
    });
    const servers = world.write("claude-mcp.json", { mcpServers: { "talking-stick": world.server } });
    const formats = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    this.#child = world.run("claude", ["-p", ...formats, "--mcp-config", servers, "--strict-mcp-config"], scripts, {
      ANTHROPIC_API_KEY: "sk-ant-scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    });
    let rest = "";
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const all = `${rest}${text}`.split("\n");
      rest = all.pop() ?? "";
      this.lines.push(...all.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Line));
      for (const look of this.#watchers) look();
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    this.ended = new Promise((resolve) => {
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
      void this.ended.then(() => reject(new Error(`Claude Code ended: ${this.#errors}`)));
    });
  }

  async end(): Promise<number | null> {
    this.#child.stdin.end();
    return this.ended;
  }

  get #results(): readonly Line[] {
    return this.lines.filter(({ type }) => type === "result");
  }

  /** The names of the tools it offers its model. */
  get tools(): readonly string[] {
    return this.lines.find(({ subtype }) => subtype === "init")?.tools ?? [];
  }

  /** What its tools answered, oldest first. */
  get answers(): readonly string[] {
    return this.lines
      .filter(({ type }) => type === "user")
      .flatMap(({ message }) => message?.content ?? [])
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => textIn(content));
  }
}

/** A refusal comes as blocks, every other answer as a text. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return ((content ?? []) as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("\n");
}
