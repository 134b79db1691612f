/** A server behind a bare pipe: every line that it writes, and every byte that is written to it, is the test's own. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

type Message = Readonly<Record<string, unknown>>;

export class BareServer {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  stdout = "";
  stderr = "";
  #lastId = 0;
  readonly #watchers = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      for (const look of this.#watchers) look();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    // A server that ended does not read.
    child.stdin?.on("error", () => undefined);
    this.ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get messages(): readonly Message[] {
    const lines = this.stdout.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Message);
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Sends a request and says under which number. */
  request(method: string, params: object = {}): number {
    this.#lastId += 1;
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params })}\n`);
    return this.#lastId;
  }

  callTool(name: string, input: object = {}, meta: object = {}): number {
    return this.request("tools/call", { name, arguments: input, _meta: meta });
  }

  async initialize(clientName = "test-client"): Promise<Message> {
    const clientInfo = { name: clientName, version: "1.0.0" };
    return this.answerTo(this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }));
  }

  /** Resolves with the answer to a request; rejects when the server ends without it. */
  answerTo(id: number): Promise<Message> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const answer = this.messages.find((message) => message["id"] === id);
        if (!answer) return;
        this.#watchers.delete(look);
        resolve(answer);
      };
      this.#watchers.add(look);
      void this.ended.then(() => reject(new Error(`the server ended: ${this.stdout}${this.stderr}`)));
      look();
    });
  }

  /** What a tool answered, as its model reads it. */
  async resultOf(id: number): Promise<{ readonly isError: boolean; readonly answer: Message }> {
    const { result } = (await this.answerTo(id)) as { result: { content: [{ text: string }]; isError?: boolean } };
    return { isError: result.isError ?? false, answer: JSON.parse(result.content[0].text) as Message };
  }
}
