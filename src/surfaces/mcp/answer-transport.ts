/** Standard input and output, with a callback when an answer has left this process: only then is mail acknowledged. */
import type { Readable, Transform, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { InFlight } from "../../engine/in-flight.ts";
import { type LongLine, lineGate } from "./line-limit.ts";

const MAX_LINE_BYTES = 10 * 1024 * 1024;
const INVALID_REQUEST = -32_600;

type RequestId = string | number;

export class AnswerTransport extends StdioServerTransport {
  /** Resolves when the client has closed the connection, or this side has. */
  readonly closed: Promise<void>;
  readonly #inFlight = new Map<RequestId, InFlight>();
  readonly #givingBack = new Set<Promise<void>>();
  readonly #output: Writable;
  readonly #gated: { readonly input: Readable; readonly gate: Transform };
  #isClosed = false;
  #tellClosed: () => void = () => undefined;

  constructor(input: Readable = process.stdin, output: Writable = process.stdout) {
    const gate = lineGate(MAX_LINE_BYTES, (line) => output.write(refusalOf(line)));
    // Several messages may come in one piece, so the parent is given more room than one message has.
    super(gate, output, { maxBufferSize: 2 * MAX_LINE_BYTES });
    this.#gated = { input, gate };
    this.#output = output;
    input.pipe(gate);
    // A pipe ends with its input, but does not notice that it was torn.
    input.once("close", () => gate.end());
    input.once("error", (error) => gate.destroy(error));
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  /** Mail in an answer is acknowledged when the answer has left; if it is never sent, the mail goes back. */
  afterAnswer(requestId: RequestId, taken: InFlight): void {
    if (this.#isClosed) return this.giveBack(taken);
    const before = this.#inFlight.get(requestId);
    this.#inFlight.set(requestId, before ? both(before, taken) : taken);
  }

  /** The client gave up. */
  forget(requestId: RequestId): void {
    const taken = this.#takenFor(requestId);
    if (taken) this.giveBack(taken);
  }

  giveBack(taken: InFlight): void {
    // At worst it comes again when its time is up.
    const giving = taken.giveBack().catch(() => undefined);
    this.#givingBack.add(giving);
    void giving.then(() => this.#givingBack.delete(giving));
  }

  /** Resolves when all unsent mail has gone back. */
  async quiet(): Promise<void> {
    await Promise.all(this.#givingBack);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const taken = this.#takenWith(message);
    if (!taken) return super.send(message);
    try {
      await super.send(message);
      await this.#flushed();
    } catch (error) {
      this.giveBack(taken);
      throw error;
    }
    await taken.confirm();
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    for (const requestId of this.#inFlight.keys()) this.forget(requestId);
    const { input, gate } = this.#gated;
    input.unpipe(gate);
    input.pause();
    await super.close();
    this.#tellClosed();
  }

  /** An answer that is an error shows nothing. */
  #takenWith(message: JSONRPCMessage): InFlight | undefined {
    if ("method" in message || message.id === undefined) return undefined;
    const taken = this.#takenFor(message.id);
    if (!taken || "result" in message) return taken;
    this.giveBack(taken);
    return undefined;
  }

  #takenFor(requestId: RequestId): InFlight | undefined {
    const taken = this.#inFlight.get(requestId);
    this.#inFlight.delete(requestId);
    return taken;
  }

  /** A stream takes more than its reader has room for; what it still holds would be lost with this process. */
  #flushed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write("", (error) => (error ? reject(error) : resolve()));
    });
  }
}

function both(first: InFlight, second: InFlight): InFlight {
  return {
    confirm: async () => void (await Promise.all([first.confirm(), second.confirm()])),
    extend: async () => void (await Promise.all([first.extend(), second.extend()])),
    giveBack: async () => void (await Promise.all([first.giveBack(), second.giveBack()])),
    inflightTimeoutMs: Math.min(first.inflightTimeoutMs, second.inflightTimeoutMs),
    moreIsReady: first.moreIsReady || second.moreIsReady,
  };
}

/** Without it the client would wait, or take the server for dead. */
function refusalOf({ id, bytes }: LongLine): string {
  const message = `The message has ${bytes} bytes and was not read: ${MAX_LINE_BYTES} is the most. Send less.`;
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } })}\n`;
}
