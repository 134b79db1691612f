/** Servers that are not as a store needs them: each has its own fault, with advice that helps. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import type { Store } from "../../src/engine/ports/store.ts";
import { openPostgresStore, type PostgresOptions } from "../../src/store/postgres/open.ts";
import { ensureDebianPackage } from "../support/ensure-debian-package.ts";
import { type OwnServer, startPostgres } from "../support/postgres-server.ts";
import { isRoot } from "../support/privileges.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { makeRoom, ROOM_ID, touch } from "./one-room.ts";

const hasServer = inject("postgresUrl") !== null;

if (!hasServer) process.stderr.write("SKIPPED: PostgreSQL servers with a fault: there is no server\n");

const canPool = hasServer && process.platform === "linux" && ensureDebianPackage("pgbouncer");

/** A few for the server's own users are kept back. */
const SETTINGS = ["max_connections=16"];

describe.skipIf(!hasServer)("a server", () => {
  let server: OwnServer;

  beforeAll(async () => {
    server = await startPostgres(SETTINGS);
  });

  afterAll(() => server?.stop());

  const openStore = async (options: Partial<PostgresOptions> = {}): Promise<Store> => {
    const store = await openPostgresStore({ url: server.url, schema: "a_store", ...options });
    onTestFinished(() => store.close());
    return store;
  };

  /** Another role without a special right, and its address. */
  const roleWith = async (rights: string): Promise<string> => {
    const name = `role_${Math.random().toString(36).slice(2)}`;
    const admin = adminOf(server.url);
    await admin.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'test-only' ${rights}`);
    const url = new URL(server.url);
    url.username = name;
    url.password = "test-only";
    return url.href;
  };

  test("that has no connection left says so, and not a word about locks", async () => {
    const store = await openStore();
    await makeRoom(store);
    const url = await roleWith("CONNECTION LIMIT 0");
    const others: postgres.Sql[] = [];
    onTestFinished(async () => {
      await Promise.all(others.map((other) => other.end({ timeout: 0 })));
    });
    const full = async (): Promise<unknown> => {
      for (;;) {
        const other = postgres(server.url, { max: 1, fetch_types: false });
        others.push(other);
        const error = await other`SELECT 1`.then(() => null).catch((reason: unknown) => reason);
        if (error !== null) return error;
      }
    };
    expect(await full()).toMatchObject({ code: "53300" });
    for (const address of [server.url, url])
      await expect(openPostgresStore({ url: address, schema: "a_store" })).rejects.toMatchObject({
        name: "Fault",
        code: "store_busy",
        retry: true,
        facts: { sqlstate: "53300" },
        next: expect.stringMatching(/max_connections/),
      });
    // What has its connection goes on.
    await touch(store, "still here");
  });

  test("whose schema was dropped under a running process says so", async () => {
    const store = await openStore({ schema: "dropped" });
    await makeRoom(store);
    await adminOf(server.url).unsafe("DROP SCHEMA dropped CASCADE");
    const fault = { code: "store_unsafe", retry: false, next: expect.stringMatching(/dropped or changed/) };
    await expect(store.readRoom(ROOM_ID)).rejects.toMatchObject(fault);
    await expect(touch(store, "into nothing")).rejects.toMatchObject(fault);
  });

  test("that does not know the password, the role, the database or a parameter blames the address", async () => {
    const change: readonly ((url: URL) => void)[] = [
      (url) => (url.password = "hunter2"),
      (url) => (url.username = "nobody"),
      (url) => (url.pathname = "/no_such_database"),
      (url) => (url.search = "?nonsense=hunter2"),
      (url) => (url.search = "?statement_timeout=hunter2"),
    ];
    for (const wrong of change) {
      const url = new URL(server.url);
      wrong(url);
      const error: unknown = await openPostgresStore({ url: url.href }).catch((reason: unknown) => reason);
      const told = { code: "store_unreachable", retry: false, next: expect.stringMatching(/address of the store/) };
      expect(error).toMatchObject(told);
      if (!url.search.includes("timeout")) expect((error as Error).message).not.toContain("hunter2");
    }
  });

  test("that gives a role no right to make the schema is read-only for it", async () => {
    const url = await roleWith("");
    await expect(openPostgresStore({ url, schema: "not_ours" })).rejects.toMatchObject({
      code: "store_readonly",
      retry: false,
      facts: { sqlstate: "42501" },
      next: expect.stringMatching(/role that may create/),
    });
  });

  test("that was made read-only can be read, and says that it cannot be written", async () => {
    const store = await openStore({ schema: "for_reading" });
    await makeRoom(store);
    const name = "read_only_database";
    const admin = adminOf(server.url);
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await makeRoom(await openStore({ url: url.href }));
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const reader = await openStore({ url: url.href });
    expect((await reader.readRoom(ROOM_ID))?.room.path).toBe("/projects");
    const fault = { code: "store_readonly", retry: false, facts: { sqlstate: "25006" } };
    await expect(touch(reader, "no")).rejects.toMatchObject(fault);
    await expect(openPostgresStore({ url: url.href, schema: "new_one" })).rejects.toMatchObject(fault);
  });

  test("that is a standby can be read, and says that it cannot be written", async () => {
    await makeRoom(await openStore({ schema: "followed" }));
    const url = await server.standby();
    const reader = await openStore({ url, schema: "followed" });
    expect((await reader.readRoom(ROOM_ID))?.room.path).toBe("/projects");
    const fault = { code: "store_readonly", retry: false, next: expect.stringMatching(/primary/) };
    await expect(touch(reader, "no")).rejects.toMatchObject(fault);
    await expect(openPostgresStore({ url, schema: "new_one" })).rejects.toMatchObject(fault);
  });

  test.skipIf(!canPool)("behind a pooler that keeps our settings to itself says so", async () => {
    const fault = { code: "store_unsafe", retry: false, next: expect.stringMatching(/pooler.*directly/) };
    for (const mode of ["transaction", "session"])
      for (const swallowed of ["", SETTINGS_OF_A_CONNECTION]) {
        const url = await pooled(server.url, { mode, swallowed });
        await expect(openPostgresStore({ url, schema: "pooled" }), `${mode} ${swallowed}`).rejects.toMatchObject(fault);
      }
    const made = await adminOf(server.url)`SELECT to_regclass('public.rooms') AS rooms`;
    expect(made[0]?.["rooms"]).toBeNull();
  });
});

function adminOf(url: string): postgres.Sql {
  const admin = postgres(url, { max: 1, onnotice: () => undefined, fetch_types: false });
  onTestFinished(() => admin.end({ timeout: 0 }));
  return admin;
}

const SETTINGS_OF_A_CONNECTION =
  "search_path,lock_timeout,statement_timeout,idle_in_transaction_session_timeout,synchronous_commit";

/** Starts pgbouncer before the server, and gives the address behind it. */
async function pooled(serverUrl: string, { mode, swallowed }: { mode: string; swallowed: string }): Promise<string> {
  const { hostname, port: target, username, password } = new URL(serverUrl);
  const directory = temporaryDirectory();
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
    ...(swallowed === "" ? [] : [`ignore_startup_parameters = ${swallowed}`]),
  ];
  const file = join(directory, "pgbouncer.ini");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const asUser = isRoot ? ["-u", "postgres"] : [];
  const child = spawn("/usr/sbin/pgbouncer", [...asUser, file], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes("process up")) break;
  child.stderr.resume();
  const url = new URL(serverUrl);
  url.port = String(port);
  return url.href;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
