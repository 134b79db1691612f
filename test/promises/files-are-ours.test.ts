/**
 * Goal: what is stored belongs to one user alone, and nothing that lies in its place leads us elsewhere.
 * Method: a store is used under each umask; then links, pipes and the like are planted at each path of it.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { fileNameFor } from "../../src/core/file-name.ts";
import { asAgentId } from "../../src/core/ids.ts";
import { hookScript } from "../../src/harness/hook-script.ts";
import { bellFileName } from "../../src/store/sqlite/bell.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { isRoot, NOBODY } from "../support/privileges.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { type Ground, groundAt, groundWith } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { OwnerOrder, OwnerReport } from "./fixtures/durable-owner.ts";
import { verifies } from "./verifies.ts";

const OWNER = "claude:ann";
const SESSION = "session-1";
const REMEMBERED_ROOM = "room-1";
const TURN_FILE = `agents/${fileNameFor("turn", `${OWNER} ${REMEMBERED_ROOM}`)}`;
const SILENCE_MS = 120_000;

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("durable-owner");
  // Another user runs it, too.
  chmodSync(dirname(fixture.file), 0o755);
});
afterAll(() => fixture.remove());

interface User {
  readonly uid: number;
  readonly gid: number;
}

if (!isRoot) console.error("\nSKIPPED: X1 with files of another user and as another user: only root can do that\n");

/** Root may do everything, so an ordinary user is tried as well where we can become one. */
const USERS: readonly [string, User][] = [
  ["this user", { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 }],
  ...(isRoot ? [["an ordinary user", NOBODY] as [string, User]] : []),
];

/** A ground that belongs to the user, in a directory that the user can enter. */
function groundOf({ uid, gid }: User): Ground {
  const root = temporaryDirectory();
  const ground = groundAt(root);
  for (const path of [root, ...readdirSync(root).map((name) => join(root, name))]) {
    chownSync(path, uid, gid);
    chmodSync(path, 0o755);
  }
  return ground;
}

/** Lets the user use the stores; the last one stays open while `look` looks. */
async function use(
  user: User,
  how: Pick<OwnerOrder, "umask" | "grounds">,
  look: () => void = () => undefined,
): Promise<OwnerReport[]> {
  const order: OwnerOrder = { agentId: OWNER, sessionId: SESSION, rememberedRoom: REMEMBERED_ROOM, ...how };
  const running = startFixture(fixture, [JSON.stringify(order)], { ...user });
  const reports: OwnerReport[] = [];
  let at = "";
  const hang = () => running.child.kill("SIGKILL");
  let watchdog = setTimeout(hang, SILENCE_MS);
  for await (const line of running.lines()) {
    clearTimeout(watchdog);
    watchdog = setTimeout(hang, SILENCE_MS);
    if ("begin" in (line as object)) at = (line as { begin: string }).begin;
    else reports.push(line as OwnerReport);
    if (reports.length < order.grounds.length) continue;
    look();
    running.child.stdin?.end();
  }
  clearTimeout(watchdog);
  expect({ at, ...(await running.ended) }).toEqual({ at, code: 0, signal: null, stderr: "" });
  return reports;
}

function entriesOf(directory: string): string[] {
  const inside = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return [directory, ...inside.map((name) => join(directory, name))];
}

describe.each(USERS)("%s", (who, user) => {
  for (const umask of [0o000, 0o022, 0o077, 0o777]) {
    const octal = umask.toString(8).padStart(3, "0");
    verifies("X1", `under the umask ${octal} all files are the owner's alone (${who})`, async () => {
      const ground = groundOf(user);
      const seen: string[] = [];
      const [report] = await use(user, { umask, grounds: [ground] }, () => {
        for (const path of entriesOf(ground.dataDir)) {
          const stats = lstatSync(path);
          seen.push(path.slice(ground.dataDir.length));
          expect([path, stats.uid, stats.mode & 0o7777]).toEqual([path, user.uid, stats.isDirectory() ? 0o700 : 0o600]);
        }
      });
      expect(new Set(Object.values(report?.outcomes ?? {}))).toEqual(new Set(["ok"]));
      const bells = ["/bell/all", `/bell/${bellFileName(asAgentId(OWNER))}`];
      const files = ["/tt.db", "/tt.db-wal", "/tt.db-shm", `/${TURN_FILE}`, ...bells];
      expect(seen).toEqual(expect.arrayContaining(["", "/bell", "/agents", "/activity", "/flags", ...files]));
    });
  }
});

/** What lies outside and must not be reached through anything that is planted. */
interface Outside {
  readonly file: string;
  readonly directory: string;
  readonly user: User;
}

const TREASURE = "not yours";

function makeOutside(at: string, user: User): Outside {
  const directory = join(at, "directory");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [file, inside] = [join(at, "file"), join(directory, "inside")];
  for (const path of [file, inside]) writeFileSync(path, TREASURE, { mode: 0o600 });
  for (const path of [at, directory, file, inside]) chownSync(path, user.uid, user.gid);
  // A mode that we would never give: it must survive.
  chmodSync(file, 0o640);
  return { file, directory, user };
}

function expectUntouched({ what, outside: { file, directory } }: Case): void {
  expect([what, readFileSync(file, "utf8"), lstatSync(file).mode & 0o777]).toEqual([what, TREASURE, 0o640]);
  expect([what, readdirSync(directory)]).toEqual([what, ["inside"]]);
  expect([what, readFileSync(join(directory, "inside"), "utf8")]).toEqual([what, TREASURE]);
  expect([what, existsSync(join(dirname(file), "nowhere"))]).toEqual([what, false]);
}

type Plant = (path: string, outside: Outside) => void;

/** Keeps the content that was there, but lets others at it. */
const loosened: Plant = (path) => {
  if (!existsSync(path)) writeFileSync(path, "");
  chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
};

const foreign: Plant = (path, { user }) => {
  if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600 });
  chownSync(path, user.uid === 0 ? NOBODY.uid : 0, -1);
};

function instead(plant: Plant): Plant {
  return (path, outside) => {
    rmSync(path, { recursive: true, force: true });
    plant(path, outside);
  };
}

const pipe = instead((path, { user }) => {
  expect(spawnSync("mkfifo", ["-m", "600", path]).status).toBe(0);
  chownSync(path, user.uid, user.gid);
});

/** The server lets go of its socket when the test is over. */
const socket = instead((path, { user }) => {
  const server = createServer().listen(path);
  chownSync(path, user.uid, user.gid);
  onTestFinished(() => void server.close());
});

const emptyDirectory = instead((path, { user }) => {
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, user.uid, user.gid);
});

const emptyFile = instead((path, { user }) => {
  writeFileSync(path, "", { mode: 0o600 });
  chownSync(path, user.uid, user.gid);
});

const ANYWHERE: Readonly<Record<string, Plant>> = {
  "a link to a file": instead((path, { file }) => symlinkSync(file, path)),
  "a link to a directory": instead((path, { directory }) => symlinkSync(directory, path)),
  "a link to nowhere": instead((path, { file }) => symlinkSync(join(dirname(file), "nowhere"), path)),
  "a pipe": pipe,
  "a socket": socket,
  "something that others may read": loosened,
  ...(isRoot && { "something of another user": foreign }),
};
const FOR_FILES = {
  ...ANYWHERE,
  "a directory": emptyDirectory,
  "a second name of another file": instead((path, { file }) => linkSync(file, path)),
};
const FOR_DIRECTORIES = { ...ANYWHERE, "a file": emptyFile };

const GUARDED: Readonly<Record<string, Readonly<Record<string, Plant>>>> = {
  "": FOR_DIRECTORIES,
  "tt.db": FOR_FILES,
  "tt.db-wal": FOR_FILES,
  "tt.db-shm": FOR_FILES,
  bell: FOR_DIRECTORIES,
  agents: FOR_DIRECTORIES,
  activity: FOR_DIRECTORIES,
  flags: FOR_DIRECTORIES,
};

/** Nothing of worth is kept in most of these, so that the store is not refused because of them. */
const HARMLESS: Readonly<Record<string, Readonly<Record<string, Plant>>>> = {
  "bell/all": FOR_FILES,
  [`bell/${bellFileName(asAgentId(OWNER))}`]: FOR_FILES,
  [`activity/${SESSION}`]: FOR_FILES,
  [TURN_FILE]: FOR_FILES,
};

interface Case {
  readonly what: string;
  readonly ground: Ground;
  readonly outside: Outside;
}

/** One store for each planted thing, all copies of one that has been used. */
async function plantEverywhere(user: User, places: typeof GUARDED): Promise<Case[]> {
  const used = groundOf(user);
  await use(user, { umask: 0o022, grounds: [used] });
  const root = dirname(used.dataDir);
  const cases: Case[] = [];
  for (const [place, plants] of Object.entries(places)) {
    for (const [kind, plant] of Object.entries(plants)) {
      const ground = groundWith(used, join(root, `d${cases.length}`));
      const outside = makeOutside(join(root, `o${cases.length}`), user);
      expect(spawnSync("cp", ["-a", used.dataDir, ground.dataDir]).status).toBe(0);
      plant(join(ground.dataDir, place), outside);
      cases.push({ what: `${kind} at ${place || "the data directory"}`, ground, outside });
    }
  }
  return cases;
}

/** The shell of a hook, which leaves a sign of life and starts no program. */
function runQuietHook({ dataDir }: Ground, { uid, gid }: User): void {
  const script = `${dataDir}-hook`;
  writeFileSync(script, hookScript({ version: "0.0.0", node: "/nowhere", hookProgram: "/nowhere", dataDir }));
  const env = { PATH: process.env["PATH"], CLAUDE_CODE_SESSION_ID: SESSION };
  const { status } = spawnSync("/bin/sh", [script, "claude", "pre-tool"], { uid, gid, env });
  expect(status).toBe(0);
}

describe.each(USERS)("%s", (who, user) => {
  verifies("X1", `what is planted in the place of the store is refused (${who})`, async () => {
    const cases = await plantEverywhere(user, GUARDED);
    const reports = await use(user, { umask: 0o022, grounds: cases.map(({ ground }) => ground) });
    for (const [index, planted] of cases.entries()) {
      const { what } = planted;
      expect([what, reports[index]?.outcomes]).toEqual([what, { open: "store_unsafe" }]);
      expectUntouched(planted);
    }
  });

  verifies(
    "X1",
    `what is planted in the place of a bell, a sign of life or a remembered turn misleads nobody (${who})`,
    async () => {
      const cases = await plantEverywhere(user, HARMLESS);
      const reports = await use(user, { umask: 0o022, grounds: cases.map(({ ground }) => ground) });
      for (const [index, planted] of cases.entries()) {
        const { what } = planted;
        const { wait, "wait for events": listening, ...rest } = reports[index]?.outcomes ?? {};
        const { recall, remember, "recall again": recallAgain, ...others } = rest;
        expect([what, new Set(Object.values(others))]).toEqual([what, new Set(["ok"])]);
        for (const outcome of [wait, listening, remember]) expect(["ok", "store_unsafe"], what).toContain(outcome);
        // A lease that others could have read, or written, counts no more. What only another user can read is as good as none.
        const loose = user.uid === 0 ? /^(?:something|a second name)/ : /^(?:something that others|a second name)/;
        const isLoose = what.endsWith(TURN_FILE) && loose.test(what);
        const told = isLoose ? "store_unsafe" : "ok";
        expect([what, recall, recallAgain]).toEqual([what, told, told]);
        // A shell cannot see that a file has a second name. Nobody but the user could have given it one here.
        if (!what.startsWith("a second name of another file at activity")) runQuietHook(planted.ground, user);
        expectUntouched(planted);
      }
    },
  );
});
