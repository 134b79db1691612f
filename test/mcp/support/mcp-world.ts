/**
 * A user's machine on which clients start the built `tt mcp` as real processes: the official client, in either era of
 * the protocol, or a bare pipe for what no well-behaved client does.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { CliWorld } from "../../cli/support/cli-world.ts";
import { asOffered } from "../../support/as-offered.ts";
import { BareServer } from "./bare-server.ts";

/** Which message comes first: `server/discover`, or `initialize`. */
export const ERAS = ["discover", "initialize"] as const;
export type Era = (typeof ERAS)[number];

export interface ServerOptions {
  readonly era?: Era;
  readonly client?: string;
  /** All of them unless it is said: tests call each by its name. */
  readonly tools?: "all" | "core" | "default";
  /** In a session of its own. */
  readonly detached?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** The path of another `tt` than the one under test. */
  readonly program?: string;
}

export class McpWorld extends CliWorld {
  /** The official client with a server of its own, which goes by the given name. */
  async connect(agent: string, options: ServerOptions = {}): Promise<Connected> {
    const { era = "initialize", client: name = "test-client" } = options;
    const transport = new StdioClientTransport({ ...this.#server(agent, options), stderr: "pipe" });
    const negotiation = era === "discover" ? { pin: "2026-07-28" } : ("legacy" as const);
    const client = new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode: negotiation } });
    const connected = new Connected(client, transport, options.tools);
    onTestFinished(() => client.close());
    await client.connect(transport);
    return connected;
  }

  /** A server behind a bare pipe. */
  startServer(agent: string, options: ServerOptions = {}): BareServer {
    const { command, args, env, cwd } = this.#server(agent, options);
    return this.watched(spawn(command, args, { cwd, env, detached: options.detached ?? false }));
  }

  watched(child: ChildProcess): BareServer {
    onTestFinished(() => void child.kill("SIGKILL"));
    return new BareServer(child);
  }

  #server(agent: string, { tools = "all", env, flags = [], program = this.program }: ServerOptions) {
    const args = [program, "mcp", ...(tools === "default" ? [] : ["--tools", tools]), ...flags];
    return { command: process.execPath, args, cwd: this.tree, env: this.env({ TT_AGENT_ID: agent, ...env }) };
  }
}

export interface Result {
  readonly isError: boolean;
  /** What the model reads, parsed. */
  readonly answer: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string) => void;
  readonly timeoutMs?: number;
}

/** The official client, and the server it started. */
export class Connected {
  readonly client: Client;
  /** Whatever the server wrote on standard error. */
  stderr = "";
  readonly #transport: StdioClientTransport;
  readonly #tools: ServerOptions["tools"];

  constructor(client: Client, transport: StdioClientTransport, tools: ServerOptions["tools"] = "all") {
    this.#tools = tools;
    this.client = client;
    this.#transport = transport;
    transport.stderr?.on("data", (text: Buffer) => {
      this.stderr += text.toString();
    });
  }

  get pid(): number {
    return this.#transport.pid ?? -1;
  }

  async call(name: string, input: Readonly<Record<string, unknown>> = {}, options: CallOptions = {}): Promise<Result> {
    const { signal, onProgress, timeoutMs = 110_000 } = options;
    const result = await this.client.callTool(
      this.#tools === "all" ? { name, arguments: input } : asOffered(name, input),
      {
        timeout: timeoutMs,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ message }) => onProgress(message ?? "") }),
      },
    );
    const [content] = result.content;
    if (content?.type !== "text") throw new Error("the answer is no text");
    const answer = JSON.parse(content.text) as Record<string, unknown>;
    if (JSON.stringify(result.structuredContent) !== JSON.stringify(answer)) throw new Error("two different answers");
    return { isError: result.isError === true, answer };
  }

  /** The answer of a call that is no refusal. */
  async done(name: string, input: Readonly<Record<string, unknown>> = {}, options: CallOptions = {}) {
    const { isError, answer } = await this.call(name, input, options);
    if (isError) throw new Error(`${name} was refused: ${JSON.stringify(answer)}`);
    return answer;
  }
}
