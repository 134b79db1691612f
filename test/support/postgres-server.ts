import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * A real PostgreSQL server of its own: a new data directory, a free port on loopback, durable writes as in
 * production (fsync stays on). It lives until `stop`, or until this process ends, in whatever way.
 */
export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

const startDeadlineMs = 60_000;
const host = fileURLToPath(new URL("./postgres-host.mjs", import.meta.url));

/** `certificates` is a directory with server.crt and server.key: the server then offers TLS. */
export async function startPostgres(certificates?: string): Promise<PostgresServer> {
  const args = certificates === undefined ? [host] : [host, certificates];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  try {
    return { url: await firstAnswer(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function firstAnswer(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  const deadline = AbortSignal.timeout(startDeadlineMs);
  const line = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    lines.once("close", () => reject(new Error("the server's host ended without an answer")));
    deadline.addEventListener("abort", () => reject(new Error(`not ready after ${startDeadlineMs} ms`)));
  });
  const answer = JSON.parse(line) as { url?: string; error?: string };
  if (answer.url === undefined) throw new Error(answer.error ?? "the server's host gave no reason");
  return answer.url;
}
