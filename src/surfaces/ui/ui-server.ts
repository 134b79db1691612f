/** The page's server: it listens on this machine alone, judges every request, and hands on those that it answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { keepWhile } from "../../engine/in-flight.ts";
import { UsageError } from "../cli/usage-error.ts";
import { pause } from "../follow/follow-board.ts";
import { ANSWER_HEADERS } from "./answer-headers.ts";
import { withoutLeases } from "./answer-text.ts";
import { Connections } from "./connections.ts";
import { judgeRequest, type Rules } from "./judge-request.ts";
import { linkedAbort } from "./linked-abort.ts";
import { PAGE_OPERATIONS, type PageAnswer } from "./page-calls.ts";
import { type PageRequestBody, readBody } from "./read-body.ts";
import type { PageFile, UiPorts } from "./ui-ports.ts";

const LIMITS = { strangers: 128, known: 128, streams: 32 };
/** A request must have come whole within this time. Answers may take as long as they need. */
const TIMES = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 };
const MOST_HEADER_BYTES = 16_384;
/** At the end, an answer has so long to leave. A page that does not read must not keep the server. */
const LEAVES_WITHIN_MS = 300;

interface ServerOptions {
  readonly ports: Pick<UiPorts, "secret" | "files">;
  readonly answer: (operation: string, body: PageRequestBody, cancel: AbortSignal) => Promise<PageAnswer>;
  /** Writes lines until the page has gone. Null if the body asks for no stream. */
  readonly stream: (body: PageRequestBody, response: ServerResponse, cancel: AbortSignal) => Promise<void> | null;
  /** Called when the first request with the secret comes: the page is there. */
  readonly pageCame: () => void;
  /** Called with a bug, which the page is told of in one sentence. */
  readonly broken: (error: unknown) => void;
  readonly quit: AbortSignal;
}

export class UiServer {
  readonly #options: ServerOptions;
  readonly #connections = new Connections(LIMITS);
  readonly #server: Server;
  readonly #running = new Set<Promise<void>>();
  /** Those with a request that is not answered yet. */
  readonly #busy = new WeakSet<Socket>();
  #rules: Rules | null = null;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#server = createServer({
      ...TIMES,
      maxHeaderSize: MOST_HEADER_BYTES,
      keepAliveTimeout: 30_000,
      requireHostHeader: false,
      // Not even if NODE_OPTIONS says otherwise.
      insecureHTTPParser: false,
    });
    // A header that is left out could be one that decides. Their bytes are counted.
    this.#server.maxHeadersCount = 0;
    const answer = (request: IncomingMessage, response: ServerResponse) => this.#take(request, response);
    this.#server.on("request", answer);
    // Nothing is asked for before a request was judged.
    this.#server.on("checkContinue", answer);
    this.#server.on("checkExpectation", answer);
    this.#server.on("connection", (socket) => this.#connections.opened(socket));
    this.#server.on("clientError", (_, socket) => socket.destroy());
  }

  /** Resolves with the port. Without one, the system chooses a free one. */
  async listen(port: number | undefined): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      // Later on it is a connection that could not be accepted, which harms nobody else.
      this.#server.on("error", (error) => reject(cannotListen(port, error)));
      this.#server.listen({ host: "127.0.0.1", port: port ?? 0 }, resolve);
    });
    const { files, secret } = this.#options.ports;
    const chosen = (this.#server.address() as AddressInfo).port;
    const operations = new Set(PAGE_OPERATIONS.keys());
    this.#rules = { port: chosen, files: new Set(files.keys()), operations, isSecret: secret.matches };
    return chosen;
  }

  /** Waits for what is being done: it was cancelled before, so it takes no longer than a change of the store. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#rules = null;
    const left = new AbortController();
    void Promise.allSettled(this.#running).then(() => left.abort());
    await pause(LEAVES_WITHIN_MS, left.signal);
    this.#server.closeAllConnections();
    await Promise.allSettled(this.#running);
    await closed;
  }

  /** A browser asks for one thing at a time. If more could wait on a connection, they would have to be kept. */
  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (this.#rules === null || this.#busy.has(socket)) return void socket.destroy();
    this.#busy.add(socket);
    response.once("finish", () => this.#busy.delete(socket));
    const answered = this.#answer(request, response, this.#rules).finally(() => this.#running.delete(answered));
    this.#running.add(answered);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, rules: Rules): Promise<void> {
    // What could not be written was for a page that has gone.
    response.on("error", () => undefined);
    const { headersDistinct, method = "", url = "" } = request;
    const header = (name: string) => headersDistinct[name] ?? [];
    const verdict = judgeRequest({ method, target: url, header }, rules);
    if (verdict.kind === "refused") return refuse(response, 403);
    const file = verdict.kind === "file" ? this.#options.ports.files.get(verdict.path) : undefined;
    if (file) return sendFile(response, file);
    this.#connections.hasSecret(request.socket);
    this.#options.pageCame();
    try {
      await this.#answerCall(verdict.kind === "operation" ? verdict.name : null, request, response);
    } catch (error) {
      this.#options.broken(error);
      if (!response.headersSent) sendJson(response, 500, UNEXPECTED);
      else response.destroy();
    }
  }

  /** Null: a stream. */
  async #answerCall(operation: string | null, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, response);
    if (typeof body === "number") return refuse(response, body);
    const { signal: cancel, abort, release } = linkedAbort(this.#options.quit);
    response.once("close", abort);
    if (response.destroyed) abort();
    try {
      if (operation !== null) return await sendAnswer(response, await this.#options.answer(operation, body, cancel));
      const streamed = this.#options.stream(body, response, cancel);
      if (streamed === null) return refuse(response, 400);
      this.#connections.streams(request.socket);
      await streamed;
      response.end();
    } finally {
      release();
    }
  }
}

const UNEXPECTED = {
  error: "bug",
  message: "This is a bug in tt. The terminal of tt ui says more.",
  next: "Please report it.",
  facts: {},
};

/** All refusals of a judge look the same, and have nothing to read. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...ANSWER_HEADERS, "Content-Length": 0, Connection: "close" }).end();
}

function sendFile(response: ServerResponse, { type, bytes }: PageFile): void {
  response.writeHead(200, { ...ANSWER_HEADERS, "Content-Type": type, "Content-Length": bytes.length }).end(bytes);
}

/** Mail in the answer is read once the answer has left, and goes back if it never does. */
async function sendAnswer(response: ServerResponse, { isRefused, body, mail }: PageAnswer): Promise<void> {
  const { socket } = response;
  const written = new Promise<void>((resolve, reject) => {
    const gone = () => reject(new Error("the page has gone"));
    // Node says so of an answer that was cut off, too.
    response.once("finish", () => (socket?.destroyed === false ? resolve() : gone()));
    response.once("close", gone);
    if (response.destroyed) gone();
  });
  sendJson(response, isRefused ? 422 : 200, body);
  // That a page has gone is no fault. Mail that cannot be confirmed or given back comes again.
  await (mail === null ? written : keepWhile(mail, written)).catch(() => undefined);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(withoutLeases(body));
  const headers = { ...ANSWER_HEADERS, "Content-Type": "application/json", "Content-Length": bytes.length };
  response.writeHead(status, headers).end(bytes);
}

function cannotListen(port: number | undefined, error: NodeJS.ErrnoException): Error {
  if (error.code === "EADDRINUSE")
    return new UsageError(`Another program uses port ${port}.`, "Leave out --port: then tt ui takes a free one.");
  if (error.code === "EACCES")
    return new UsageError(`You may not use port ${port}.`, "Give one above 1023, or leave out --port.");
  return error;
}
