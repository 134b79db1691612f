/** A pgbouncer before a server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { ensureDebianPackage } from "../support/ensure-debian-package.ts";
import { isRoot } from "../support/privileges.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** It says aloud when there is none. */
export function canPool(): boolean {
  return process.platform === "linux" && ensureDebianPackage("pgbouncer");
}

export interface PoolerOptions {
  readonly mode: "transaction" | "session";
  /** Further lines of its settings. */
  readonly settings?: readonly string[];
}

/** Its address, until the test ends. */
export async function startPooler(serverUrl: string, options: PoolerOptions): Promise<string> {
  const { url, stop } = await openPooler(serverUrl, temporaryDirectory(), options);
  onTestFinished(stop);
  return url;
}

export async function openPooler(serverUrl: string, directory: string, { mode, settings = [] }: PoolerOptions) {
  const { hostname, port: target, username, password } = new URL(serverUrl);
  chmodSync(directory, 0o755);
  const port = await freePort();
  writeFileSync(join(directory, "users.txt"), `"${username}" "${password}"\n`);
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${target}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "auth_type = plain",
    `auth_file = ${directory}/users.txt`,
    "unix_socket_dir =",
    `pool_mode = ${mode}`,
    ...settings,
  ];
  const file = join(directory, "pgbouncer.ini");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const asUser = isRoot ? ["-u", "postgres"] : [];
  const child = spawn("/bin/sh", ["-c", TIED, "sh", ...asUser, file], { stdio: ["pipe", "ignore", "pipe"] });
  const ended = once(child, "exit");
  await untilUp(child.stderr);
  const url = new URL(serverUrl);
  url.port = String(port);
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { url: url.href, stop };
}

/** Becomes the pooler. Its input ends with this process, in whatever way that ends, and then the pooler is killed. */
const TIED = `exec 3<&0; (read -r _ <&3; kill -KILL $$) 2>/dev/null & exec /usr/sbin/pgbouncer "$@" 3<&-`;

async function untilUp(said: Readable): Promise<void> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: said })) {
    lines.push(line);
    if (!line.includes("process up")) continue;
    said.resume();
    return;
  }
  throw new Error(`pgbouncer did not start:\n${lines.join("\n")}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
