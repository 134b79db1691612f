/** The least that a client can be: lines out, lines in, and the time between them. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { nowUs } from "../marks.ts";
import { failureOf } from "../yardstick.ts";

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
};

export interface ClientOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
}

export class McpClient {
  /** From the start of the process to the answer to `initialize`. */
  readonly readyUs: Promise<number>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  constructor(words: readonly string[], { env, cwd }: ClientOptions) {
    const startUs = nowUs();
    this.#child = spawn(process.execPath, words, { env: { ...env }, cwd, stdio: ["pipe", "pipe", "inherit"] });
    let rest = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line) as Answer);
    });
    this.#child.once("close", (code, signal) => {
      const message = `${words.join(" ")} ended with ${signal ?? code} before it answered`;
      for (const { reject } of this.#waiting.values()) reject(failureOf(words[0] ?? "", message));
    });
    this.readyUs = this.request("initialize", INITIALIZE).then(() => nowUs() - startUs);
  }

  request(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  async call(name: string, input: object): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.request("tools/call", { name, arguments: input });
    const { content, isError } = result as { content: [{ text: string }]; isError?: boolean };
    if (isError) throw new Error(`${name}: ${content[0].text}`);
    const [{ text }] = content;
    return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text };
  }

  /** How long a call took, in microseconds. */
  async timed(name: string, input: object): Promise<number> {
    const startUs = nowUs();
    await this.call(name, input);
    return nowUs() - startUs;
  }

  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => {
      this.#child.once("close", resolve);
    });
    this.#child.stdin?.end();
    await ended;
  }

  #take({ id, result }: Answer): void {
    if (id === undefined) return;
    this.#waiting.get(id)?.resolve(result);
    this.#waiting.delete(id);
  }
}
