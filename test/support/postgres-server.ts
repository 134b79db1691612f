import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
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

/** How a server ends: it throws its clients out, it drops everything as if it had crashed, or it is killed. */
export type Ending = "SIGINT" | "SIGQUIT" | "SIGKILL";

/** One that a test may harm. */
export interface OwnServer extends PostgresServer {
  restart(how: Ending): Promise<void>;
  end(how: Ending): Promise<void>;
  /** Adds a server that follows this one, and gives its url. */
  standby(): Promise<string>;
}

const deadlineMs = 180_000;
const host = fileURLToPath(new URL("./postgres-host.mjs", import.meta.url));

/**
 * With further settings, such as `max_connections=5`. `certificates` is a directory with server.crt and server.key: the
 * server then offers TLS. `place` is where its own directory is made. `clients` is a range of addresses that clients may
 * come from besides this machine's own.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  certificates = "",
  place = tmpdir(),
  clients = "",
): Promise<OwnServer> {
  const env = { ...process.env, TT_TEST_CERTIFICATES: certificates, TT_TEST_CLIENTS: clients, TMPDIR: place };
  const child = spawn(process.execPath, [host, ...settings], { stdio: ["pipe", "pipe", "inherit"], env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "close");
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  const obey = (order: string) => {
    child.stdin.write(`${order}\n`);
    return answerIn(lines);
  };
  try {
    const { url = "" } = await answerIn(lines);
    return {
      url,
      stop,
      restart: async (how) => void (await obey(`restart ${how}`)),
      end: async (how) => void (await obey(`end ${how}`)),
      standby: async () => (await obey("standby")).url ?? "",
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answerIn(lines: AsyncIterator<string>): Promise<{ readonly url?: string }> {
  const late = AbortSignal.timeout(deadlineMs);
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () => reject(new Error(`no answer after ${deadlineMs} ms`)));
  });
  const { value, done } = await Promise.race([lines.next(), tooLate]);
  if (done) throw new Error("the server's host ended without an answer");
  const answer = JSON.parse(value) as { url?: string; error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}
