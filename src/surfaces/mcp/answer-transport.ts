/** Standard input and output, with a word to say when an answer has left this process: only then is mail acknowledged. */
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

type RequestId = string | number;

export class AnswerTransport extends StdioServerTransport {
  /** Resolves when the client has closed the connection, or this side has. */
  readonly closed: Promise<void>;
  readonly #afterAnswer = new Map<RequestId, () => Promise<void>>();
  readonly #output: Writable;
  #tellClosed: () => void = () => undefined;

  constructor(input: Readable = process.stdin, output: Writable = process.stdout) {
    super(input, output);
    this.#output = output;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  /** An answer that is never sent, because its client gave up, is never acknowledged either. */
  afterAnswer(requestId: RequestId, work: () => Promise<void>): void {
    this.#afterAnswer.set(requestId, work);
  }

  forget(requestId: RequestId): void {
    this.#afterAnswer.delete(requestId);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const work = this.#workAfter(message);
    await super.send(message);
    if (!work) return;
    await this.#flushed();
    await work();
  }

  override async close(): Promise<void> {
    await super.close();
    this.#tellClosed();
  }

  #workAfter(message: JSONRPCMessage): (() => Promise<void>) | undefined {
    if ("method" in message || message.id === undefined) return undefined;
    const work = this.#afterAnswer.get(message.id);
    this.#afterAnswer.delete(message.id);
    return "result" in message ? work : undefined;
  }

  /** A stream takes more than its reader has room for; what it still holds would be lost with this process. */
  #flushed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write("", (error) => (error ? reject(error) : resolve()));
    });
  }
}
