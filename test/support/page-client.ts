/** Speaks to a server of the page as its page does, and as others might. */
import { type ClientRequest, request } from "node:http";
import { connect, type Socket } from "node:net";
import type { StreamLine, StreamRequest } from "../../src/surfaces/wire/stream-line.ts";

export interface RawAnswer {
  readonly status: number;
  /** In their order, as they came; without the time. */
  readonly headers: string;
  readonly body: string;
}

export interface CallAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Reading {
  /** False: a page that never reads. */
  readonly read?: boolean;
  /** The connection breaks after so many characters, wherever that is. */
  readonly cutAfter?: number;
}

export class PageClient {
  readonly port: number;
  readonly secret: string;

  constructor(address: string) {
    const { port, hash } = new URL(address);
    this.port = Number(port);
    this.secret = hash.replace("#secret=", "");
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Runs an operation as the page does. */
  async call(operation: string, input: object = {}): Promise<CallAnswer> {
    const { status, body } = await this.post(`/api/${operation}`, JSON.stringify(input));
    return { status, body: body === "" ? {} : (JSON.parse(body) as Record<string, unknown>) };
  }

  post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const asked = this.#request(path, headers);
      asked.on("error", reject);
      asked.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: "", body: Buffer.concat(chunks).toString() }),
        );
      });
      asked.end(body);
    });
  }

  /** Opens a stream as the page does. */
  stream(wanted: Partial<StreamRequest> = {}, reading: Reading = {}): StreamReader {
    const asked = this.#request("/api/stream", {});
    asked.end(JSON.stringify({ room: null, afterSeq: null, ...wanted }));
    return new StreamReader(asked, reading);
  }

  #request(path: string, headers: Record<string, string>): ClientRequest {
    const own = { Authorization: `Bearer ${this.secret}`, "Content-Type": "application/json", Origin: this.origin };
    return request({
      host: "127.0.0.1",
      port: this.port,
      path,
      method: "POST",
      headers: { ...own, "Sec-Fetch-Site": "same-origin", ...headers },
      agent: false,
    });
  }

  socket(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port: this.port }, () => resolve(socket));
      socket.on("error", reject);
    });
  }

  /** Sends these bytes over a connection of their own. Null: it was closed without an answer. */
  async raw(bytes: string): Promise<RawAnswer | null> {
    const socket = await this.socket();
    const chunks: Buffer[] = [];
    return new Promise((resolve) => {
      const over = () => {
        socket.destroy();
        resolve(answerIn(Buffer.concat(chunks).toString("latin1")));
      };
      // An answer may come before all was sent.
      socket.removeAllListeners("error").on("error", over).on("close", over);
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        // A stream never ends by itself.
        if (isWhole(Buffer.concat(chunks).toString("latin1"))) over();
      });
      socket.write(bytes, "latin1");
    });
  }
}

/** The head and the first line of a stream, or the head and as much of the body as it tells. */
function isWhole(text: string): boolean {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  const body = rest.join("\r\n\r\n");
  return rest.length > 0 && (length === undefined ? body.includes("\n") : body.length >= Number(length));
}

function answerIn(text: string): RawAnswer | null {
  const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
  if (status === undefined) return null;
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const headers = head.split("\r\n").slice(1);
  return {
    status: Number(status),
    headers: headers.filter((line) => !line.startsWith("Date:")).join("\n"),
    body: rest.join("\r\n\r\n"),
  };
}

export class StreamReader {
  readonly lines: StreamLine[] = [];
  readonly #request: ClientRequest;
  #text = "";
  #isOver = false;
  readonly #watchers = new Set<() => void>();

  constructor(asked: ClientRequest, { read = true, cutAfter = Number.POSITIVE_INFINITY }: Reading) {
    this.#request = asked;
    let left = cutAfter;
    const over = () => {
      this.#isOver = true;
      this.#tell();
    };
    asked.on("error", over).on("close", over);
    asked.on("response", (response) => {
      response.on("error", over);
      if (!read) return;
      response.setEncoding("utf8").on("data", (text: string) => {
        const parts = `${this.#text}${text.slice(0, left)}`.split("\n");
        left = Math.max(0, left - text.length);
        this.#text = parts.pop() ?? "";
        this.lines.push(...parts.map((line) => JSON.parse(line) as StreamLine));
        if (left === 0) this.cut();
        this.#tell();
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The events of the log, in the order in which they came. */
  get seqs(): readonly number[] {
    return this.lines.flatMap((line) => (line.line === "log" ? line.events.map(({ eventSeq }) => eventSeq) : []));
  }

  /** Rejects if the stream ends before. */
  until(condition: (lines: readonly StreamLine[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const isMet = condition(this.lines);
        if (!isMet && !this.#isOver) return;
        this.#watchers.delete(look);
        if (isMet) resolve();
        else reject(new Error("the stream ended too early"));
      };
      this.#watchers.add(look);
      look();
    });
  }

  ended(): Promise<void> {
    return this.until(() => this.#isOver);
  }

  cut(): void {
    this.#request.destroy();
  }

  #tell(): void {
    for (const look of this.#watchers) look();
  }
}
