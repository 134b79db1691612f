// Runs a command with TT_TEST_POSTGRES set to a server of the distribution's PostgreSQL, whose package it installs first.
// The server lives as long as the command. Ends as the command does; with 0 and a loud word where there is no such package.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAMS = "/usr/lib/postgresql";
const isRoot = process.getuid?.() === 0;

function skip(why) {
  process.stderr.write(`\nSKIPPED: the distribution's PostgreSQL: ${why}\n\n`);
  process.exit(0);
}

/** The directory with the newest version's programs. A package of clients alone has one, too, without a server. */
function programs() {
  const all = existsSync(PROGRAMS) ? readdirSync(PROGRAMS) : [];
  const versions = all.filter((version) => existsSync(join(PROGRAMS, version, "bin", "initdb")));
  const newest = versions.toSorted((one, other) => Number(one) - Number(other)).at(-1);
  return newest === undefined ? null : join(PROGRAMS, newest, "bin");
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

/** PostgreSQL refuses to run as root; its package makes a user for it. */
function owner() {
  if (!isRoot) return {};
  return { uid: idOfPostgres("-u"), gid: idOfPostgres("-g") };
}

function idOfPostgres(flag) {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
}

const install = join(import.meta.dirname, "install-packages.mjs");
if (programs() === null) spawnSync(process.execPath, [install, "--limit=120", "postgresql"], { stdio: "inherit" });
const bin = programs();
if (bin === null) skip("the package postgresql could not be installed");

const [command, ...words] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "tt-distribution-postgres-"));
let server = null;
let child = null;
process.on("exit", () => {
  server?.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});
// The command ends, and then the server as always. Before there is a command, the end of this process ends the server.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    if (child === null) process.exit(1);
    child.kill(signal);
  });
chmodSync(directory, 0o755);
const data = join(directory, "data");
mkdirSync(data, { mode: 0o700 });
const asOwner = owner();
if (isRoot) chownSync(data, asOwner.uid, asOwner.gid);
const port = await freePort();
const passwordFile = join(directory, "password");
writeFileSync(passwordFile, "test-only\n");
execFileSync(
  join(bin, "initdb"),
  ["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8", "--no-locale"],
  { ...asOwner, cwd: directory, stdio: ["ignore", "ignore", "inherit"] },
);
// Without fsync: what a crash leaves is tested elsewhere, and its data is thrown away.
const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "fsync=off"];
server = spawn(
  join(bin, "postgres"),
  ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
  { ...asOwner, cwd: directory, stdio: ["ignore", "ignore", "pipe"] },
);
const gone = once(server, "exit");
let log = "";
await Promise.race([
  gone,
  new Promise((resolve) => {
    server.stderr.on("data", (text) => {
      log = `${log}${text}`.slice(-5000);
      if (log.includes("ready to accept connections")) resolve();
    });
  }),
]);
let status = 1;
try {
  if (server.exitCode !== null) throw new Error(`the distribution's PostgreSQL did not start:\n${log}`);
  const url = `postgres://postgres:test-only@127.0.0.1:${port}/postgres`;
  const { stdout } = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" });
  process.stdout.write(`${stdout.trim()} on port ${port}\n`);
  child = spawn(command, words, { stdio: "inherit", env: { ...process.env, TT_TEST_POSTGRES: url } });
  const [code] = await once(child, "exit");
  status = code ?? 1;
} finally {
  server.kill("SIGINT");
  await gone;
}
process.exit(status);
