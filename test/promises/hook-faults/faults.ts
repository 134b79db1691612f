/** The thirteen ways in which the world fails a hook. Each is arranged around a copy of one store in which mail waits. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { loadSqliteDriver } from "../../../src/store/sqlite/driver.ts";
import { withDatabase } from "../../support/database-dump.ts";
import { type Bundle, startFixture } from "../../support/fixture.ts";
import type { SeededRandom } from "../../support/random.ts";
import { type Ground, groundWith } from "../../support/sqlite-world.ts";
import type { HookJob, Installed } from "./hook-runner.ts";

export interface Arranged {
  readonly installed?: Partial<Installed>;
  readonly env?: HookJob["env"];
  readonly through?: readonly string[];
  /** What becomes of the line in the configuration. */
  readonly wrap?: (command: string) => string;
  readonly input?: (payload: string, random: SeededRandom) => string | Buffer;
  readonly inputStaysOpen?: boolean;
  /** What the log must tell of the hooks that came so far. */
  readonly logged?: RegExp;
  readonly end?: () => Promise<unknown>;
}

export interface FaultGround extends Ground {
  /** A writer that freezes with the lock in its hand. */
  readonly frozen: Bundle;
}

export type Arrange = (ground: FaultGround) => Promise<Arranged>;

/** Room for a database with the longest log that SQLite lets it have; the rest is filled. */
const FULL =
  'mount -t tmpfs -o size=8m,mode=0700 tmpfs "$1" && cp -a "$0/." "$1" && { cat /dev/zero >"$1/fill" 2>/dev/null || :; }';

/** A namespace in which we may mount: as root, or as root of our own user namespace. */
const NAMESPACES = [["-m"], ["-rm"]].find(
  (flags) => spawnSync("unshare", [...flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0,
);

export const FAULTS: Readonly<Record<string, Arrange>> = {
  "no home": async () => ({ env: { HOME: undefined, XDG_CACHE_HOME: undefined } }),

  "no data directory": async () => ({ installed: { dataDir: "/proc/there-is-none/data" } }),

  "a corrupt store": async ({ database }) => {
    for (const companion of ["-wal", "-shm"]) rmSync(`${database}${companion}`, { force: true });
    writeFileSync(database, "this was a database once ".repeat(4000), { mode: 0o600 });
    return { logged: /store_/ };
  },

  "a locked store": async ({ database }) => {
    const handle = loadSqliteDriver()(database);
    handle.exec("PRAGMA locking_mode = EXCLUSIVE");
    handle.exec("BEGIN IMMEDIATE");
    return { logged: /store_busy|time limit/, end: async () => handle.close() };
  },

  "a store of a newer version": async ({ database }) => {
    withDatabase(database, (handle) =>
      handle.exec("PRAGMA user_version = 9999; UPDATE oldest_writer SET version = 9999"),
    );
    return { logged: /store_too_new/ };
  },

  "a full disk": async ({ dataDir }) => {
    if (!NAMESPACES) throw new Error("nothing can be mounted here, so no disk can be filled");
    const disk = join(dataDir, "../full");
    mkdirSync(disk);
    const line = `${FULL}; shift; exec "$@"`;
    return {
      installed: { dataDir: disk },
      through: ["unshare", ...NAMESPACES, "sh", "-c", line, dataDir, disk],
    };
  },

  "a payload that is none": async () => ({
    input: (payload, random) =>
      random.pick<() => string | Buffer>([
        () => "",
        () => "\n\n",
        () => "}{ garbage",
        () => "null",
        () => "[1,2]",
        () => payload.slice(0, random.between(0, payload.length - 2)),
        () => JSON.stringify(JSON.parse(payload), null, 2),
        () => Buffer.from(Array.from({ length: 3000 }, () => random.between(0, 255))),
        () => payload.replace("}", `,"tool_input":"${"x".repeat(20_000_000)}"}`),
        () => payload.replace(/"session_id":"[^"]*"/, '"session_id":"../../../etc/passwd"'),
        () => payload.replace(/"session_id":"[^"]*"/, '"session_id":{"a":1}'),
        () => "[".repeat(100_000),
      ])(),
  }),

  "a harness that says nothing, or only begins": async () => ({
    input: (payload, random) => payload.slice(0, random.pick([0, 0, 30, payload.length - 1])),
    inputStaysOpen: true,
  }),

  "a closed output": async () => ({ wrap: (command) => `( ${command} ) >&-` }),

  "no node": async () => ({ installed: { node: "/nowhere/node" } }),

  "no program": async () => ({ installed: { hookProgram: "/nowhere/hook.cjs" } }),

  "a writer that froze with the lock": async (ground) => {
    const writer = startFixture(ground.frozen, [JSON.stringify(ground)]);
    await writer.lines().next();
    writer.send("frozen");
    while (!/\) T /.test(spawnSync("cat", [`/proc/${writer.pid}/stat`], { encoding: "latin1" }).stdout));
    return {
      logged: /store_busy|time limit/,
      end: async () => {
        writer.child.kill("SIGKILL");
        await writer.ended;
      },
    };
  },

  "a database server that does not answer": async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as { port: number };
    return {
      installed: { variables: { TT_STORE: `postgres://127.0.0.1:${port}/tt` } },
      logged: /time limit/,
      end: async () => server.close(),
    };
  },
};

/** The same store once more, for one fault. */
export function copiedGround(base: FaultGround, dataDir: string): FaultGround {
  return { ...groundWith(base, dataDir), frozen: base.frozen };
}
