/** The built `tt mcp` as a harness starts it: below the harness's own process, on two pipes. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { constants, createReadStream, createWriteStream, openSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { type Harness, type HookWorld, quoted } from "./hook-world.ts";

type Message = Readonly<Record<string, unknown>>;

let servers = 0;

export class HarnessServer {
  readonly pid: number;
  /** Resolves when the server has closed its standard output. */
  readonly ended: Promise<unknown>;
  readonly #input: WriteStream;
  readonly #lines: AsyncIterator<string>;
  #lastId = 0;

  private constructor(pid: number, input: string, output: string) {
    this.pid = pid;
    // Opened for both ways, so that neither side waits for the other.
    this.#input = createWriteStream("", { fd: openSync(input, constants.O_RDWR) });
    const lines = createInterface({ input: createReadStream(output) });
    this.ended = once(lines, "close");
    this.#lines = lines[Symbol.asyncIterator]();
    onTestFinished(() => this.kill());
  }

  /** Started and initialized; no tool was called yet. */
  static async start(world: HookWorld, harness: Harness, client = "claude-code"): Promise<HarnessServer> {
    servers += 1;
    const [input, output] = ["in", "out"].map((what) => join(world.root, `server-${servers}.${what}`)) as [
      string,
      string,
    ];
    execFileSync("mkfifo", [input, output]);
    const words = [process.execPath, world.program, "mcp", "--tools", "all"].map(quoted).join(" ");
    // The shell opens both ends before it starts the server: the reader of the output must be there by then.
    const opening = harness.start(`${words} <${quoted(input)} >${quoted(output)}`);
    const server = new HarnessServer(await opening, input, output);
    await server.#initialize(client);
    return server;
  }

  async #initialize(client: string): Promise<void> {
    const clientInfo = { name: client, version: "1.0.0" };
    await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.#write({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** What a tool answers. */
  async call(name: string, input: object = {}, meta: object = {}): Promise<Message> {
    const { result } = (await this.request("tools/call", { name, arguments: input, _meta: meta })) as {
      result: { content: [{ text: string }] };
    };
    return JSON.parse(result.content[0].text) as Message;
  }

  async request(method: string, params: object = {}): Promise<Message> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#write({ jsonrpc: "2.0", id, method, params });
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error("the server has ended");
      const message = JSON.parse(value) as Message;
      if (message["id"] === id) return message;
    }
  }

  #write(message: object): void {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  /** As a client that is done with it. */
  close(): void {
    this.#input.end();
  }

  /** As a crash, or the system when it lacks memory. */
  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    try {
      process.kill(this.pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}
