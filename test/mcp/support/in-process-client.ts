import { PassThrough } from "node:stream";
import { AnswerTransport } from "../../../src/surfaces/mcp/answer-transport.ts";
import type { McpPorts } from "../../../src/surfaces/mcp/call.ts";
import { serveMcp } from "../../../src/surfaces/mcp/server.ts";

export type Message = Readonly<Record<string, unknown>>;

/** The server in this very process, behind two streams. */
export class InProcessClient {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<unknown, (answer: Message) => void>();
  #rest = "";
  #lastId = 0;

  constructor(ports: McpPorts) {
    const transport = new AnswerTransport(this.#input, this.#output);
    this.#ended = serveMcp(ports, { tools: "all", transport }).ended;
    this.#output.setEncoding("utf8").on("data", (text: string) => {
      const lines = `${this.#rest}${text}`.split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line) as Message);
    });
  }

  call(params: object): Promise<Message> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#ended;
  }

  #take(message: Message): void {
    this.#waiting.get(message["id"])?.(message);
    this.#waiting.delete(message["id"]);
  }
}
