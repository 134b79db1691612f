import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ASK_PERSON_NEXT, ELSEWHERE_NEXT, Fault } from "../../../src/core/fault.ts";
import {
  type PrepareOptions,
  prepareDataDirectory,
  resolveDataDirectory,
} from "../../../src/platform/files/data-directory.ts";
import { canMount, isRoot, NOBODY, skipUnless } from "../../support/privileges.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { systemCalls } from "../call-in-child.ts";

const { call, callWithin, callAtOnce } = systemCalls();
const uid = process.getuid?.() ?? 0;

function prepared(): string {
  const path = join(temporaryDirectory(), "tt");
  prepareDataDirectory(path, { uid });
  return path;
}

function faultOf(path: string, options: Partial<PrepareOptions> = {}): Fault {
  try {
    prepareDataDirectory(path, { uid, ...options });
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function modes(path: string): string[] {
  const names = ["", "bell", "agents", "activity", "flags", "tt.db"];
  return names.map((name) => (lstatSync(join(path, name)).mode & 0o7777).toString(8));
}

const PRIVATE = ["700", "700", "700", "700", "700", "600"];

describe("where the data is", () => {
  const config = { dataDir: "/from/config" };
  const none = { dataDir: null };

  test.each([
    ["TT_DATA_DIR first", { TT_DATA_DIR: "/from/env", XDG_DATA_HOME: "/xdg", HOME: "/home/ann" }, config, "/from/env"],
    ["then the config file", { XDG_DATA_HOME: "/xdg", HOME: "/home/ann" }, config, "/from/config"],
    ["then XDG_DATA_HOME", { XDG_DATA_HOME: "/xdg", HOME: "/home/ann" }, none, "/xdg/tt"],
    ["then the home directory", { HOME: "/home/ann" }, none, "/home/ann/.local/share/tt"],
    ["an empty variable is none", { TT_DATA_DIR: "", XDG_DATA_HOME: "", HOME: "/h" }, none, "/h/.local/share/tt"],
    ["a relative XDG_DATA_HOME is none", { XDG_DATA_HOME: "xdg", HOME: "/h" }, none, "/h/.local/share/tt"],
    ["without HOME the user list is asked", {}, none, join(userInfo().homedir, ".local/share/tt")],
  ])("%s", (_, env, given, path) => {
    expect(resolveDataDirectory(env, given)).toBe(path);
  });

  test("a relative TT_DATA_DIR is made absolute where wrong settings do not matter", () => {
    expect(resolveDataDirectory({ TT_DATA_DIR: "data" }, none)).toBe(join(process.cwd(), "data"));
  });
});

test.skipIf(skipUnless(isRoot, "root, to become a user without an entry in the user list"))(
  "a user without a home is told to name a directory",
  async () => {
    expect(await call(["resolve"], { uid: 54_321, gid: 54_321 })).toMatchObject({
      fault: "store_unsafe",
      next: expect.stringContaining("TT_DATA_DIR"),
    });
  },
);

describe("making it", () => {
  test("the directory, its parts and the database are made, parents included", () => {
    const path = join(temporaryDirectory(), "deep/er/tt");
    expect(prepareDataDirectory(path, { uid })).toEqual({ database: join(path, "tt.db"), bell: join(path, "bell") });
    expect(modes(path)).toEqual(PRIVATE);
    expect(readdirSync(path).toSorted()).toEqual(["activity", "agents", "bell", "flags", "tt.db"]);
  });

  test("a second time changes nothing", () => {
    const path = prepared();
    writeFileSync(join(path, "tt.db"), "content");
    prepareDataDirectory(path, { uid });
    expect(lstatSync(join(path, "tt.db")).size).toBe(7);
  });

  test("an empty private directory is filled", () => {
    const path = temporaryDirectory();
    chmodSync(path, 0o700);
    prepareDataDirectory(path, { uid });
    expect(modes(path)).toEqual(PRIVATE);
  });

  test.each(["000", "022", "077", "0177", "0277", "0777"])("the umask %s makes no difference", async (umask) => {
    const world = temporaryDirectory();
    if (isRoot) chownSync(world, NOBODY.uid, NOBODY.gid);
    const path = join(world, "deep/tt");
    expect(await call(["prepare", path, umask], isRoot ? { ...NOBODY } : {})).toMatchObject({
      database: join(path, "tt.db"),
    });
    expect(modes(path)).toEqual(PRIVATE);
    expect((lstatSync(join(world, "deep")).mode & 0o777).toString(8)).toBe("700");
  });

  test("sixteen processes that are the first at one instant all succeed", async () => {
    const path = join(temporaryDirectory(), "deep/tt");
    const answers = await callAtOnce(16, ["prepare", path, "0777"]);
    const databases = answers.map((answer) => (answer as { database?: string }).database);
    expect(new Set(databases)).toEqual(new Set([join(path, "tt.db")]));
    expect(modes(path)).toEqual(PRIVATE);
    expect(readdirSync(path).toSorted()).toEqual(["activity", "agents", "bell", "flags", "tt.db"]);
  });
});

function expectUnsafe(path: string, place: string, next: RegExp): void {
  const fault = faultOf(path);
  expect(fault.code).toBe("store_unsafe");
  expect(fault.message).toContain(place);
  expect(fault.next).toMatch(next);
  // An agent may only take permissions away.
  expect(fault.nextInHarness).toBe(fault.next.startsWith("Run: chmod") ? fault.next : ASK_PERSON_NEXT);
}

/** Puts an ordinary file of ours at a place in a prepared directory. */
function withFile(name: string): { path: string; place: string } {
  const path = prepared();
  const place = join(path, name);
  writeFileSync(place, "", { mode: 0o600 });
  return { path, place };
}

describe("what is not ours alone is refused, with the way to repair it", () => {
  const parts = ["", "bell", "agents", "activity", "flags"];
  const files = ["tt.db", "tt.db-wal", "tt.db-shm"];

  test.each(parts)("a directory that others can read: %j", (name) => {
    const path = prepared();
    const place = join(path, name);
    chmodSync(place, 0o750);
    expectUnsafe(path, place, /chmod 700/);
  });

  test.each(parts)("a symlink in place of a directory: %j", (name) => {
    const path = prepared();
    const place = join(path, name);
    const elsewhere = prepared();
    rmSync(place, { recursive: true });
    symlinkSync(elsewhere, place);
    expectUnsafe(path, place, /TT_DATA_DIR.*ls -ld .* rm /);
  });

  test.each(parts)("a file in place of a directory: %j", (name) => {
    const path = prepared();
    const place = join(path, name);
    rmSync(place, { recursive: true });
    writeFileSync(place, "");
    expectUnsafe(path, place, /mv /);
  });

  test.each(files)("a file that others can read: %s", (name) => {
    const { path, place } = withFile(name);
    chmodSync(place, 0o640);
    expectUnsafe(path, place, /chmod 600/);
  });

  test.each(files)("a symlink in place of a file, and its target is not made: %s", (name) => {
    const path = prepared();
    const place = join(path, name);
    rmSync(place, { force: true });
    symlinkSync(join(path, "target"), place);
    expectUnsafe(path, place, /rm /);
    expect(readdirSync(path)).not.toContain("target");
  });

  test.each(files)("a pipe in place of a file, which is not waited for: %s", (name) => {
    const path = prepared();
    const place = join(path, name);
    rmSync(place, { force: true });
    execFileSync("mkfifo", ["-m", "600", place]);
    expectUnsafe(path, place, /mv /);
  });

  test.each(files)("a directory in place of a file: %s", (name) => {
    const path = prepared();
    const place = join(path, name);
    rmSync(place, { force: true });
    mkdirSync(place, { mode: 0o700 });
    expectUnsafe(path, place, /mv /);
  });

  test.each(files)("a file with a second name: %s", (name) => {
    const { path, place } = withFile(name);
    linkSync(place, join(path, "second"));
    expectUnsafe(path, place, /cp /);
  });

  test.skipIf(skipUnless(isRoot, "root, to give files away"))("a directory or file of another user", () => {
    for (const name of ["", "bell", "tt.db"]) {
      const path = prepared();
      chownSync(join(path, name), NOBODY.uid, NOBODY.gid);
      expectUnsafe(path, join(path, name), /chown/);
    }
  });

  test("one on a network file system", () => {
    const path = join(temporaryDirectory(), "tt");
    const fault = faultOf(path, { onNetwork: () => "nfs4" });
    expect([fault.code, fault.facts["kind"]]).toEqual(["store_unsafe", "nfs4"]);
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("a network file system is recognised through a symlink to it", () => {
    const world = temporaryDirectory();
    mkdirSync(join(world, "net"));
    symlinkSync("net", join(world, "link"));
    const onNetwork = (path: string) => (path.startsWith(join(world, "net")) ? "nfs" : null);
    expect(faultOf(join(world, "link/deep/tt"), { onNetwork }).code).toBe("store_unsafe");
  });

  test("the command that repairs it is one shell line even for a strange path", () => {
    const path = join(temporaryDirectory(), "it's here");
    prepareDataDirectory(path, { uid });
    chmodSync(path, 0o755);
    execFileSync("sh", ["-c", faultOf(path).next.replace("Run: ", "")]);
    expect(prepareDataDirectory(path, { uid }).database).toBe(join(path, "tt.db"));
  });
});

const onMount = (options: string, path: string) => {
  const mount = `mount -t tmpfs -o ${options} tmpfs ${path}`;
  return callWithin(`exec unshare -m sh -c '${mount} && exec "$@"' sh "$@"`, ["prepare", join(path, "tt")]);
};

describe("where nothing can be made", () => {
  test.each([
    ["a file in the way", "file/tt", "store_unsafe"],
    ["a name that is too long", "x".repeat(300), "store_unsafe"],
    ["a loop of symlinks in the way", "loop/tt", "store_unsafe"],
    ["a symlink to nothing in the way", "dangling/tt", "store_unsafe"],
  ])("%s", (_, name, code) => {
    const world = temporaryDirectory();
    writeFileSync(join(world, "file"), "");
    symlinkSync("loop", join(world, "loop"));
    symlinkSync("missing", join(world, "dangling"));
    expect(faultOf(join(world, name)).code).toBe(code);
  });

  test.each(["loop", "missing"])("a data directory that is a link to nothing, and how to remove it: %s", (target) => {
    const link = join(temporaryDirectory(), "loop");
    symlinkSync(target, link);
    const next = `See where the link leads (ls -ld ${link}), then remove it: rm ${link}`;
    expect(faultOf(link)).toMatchObject({ code: "store_unsafe", facts: { path: link }, next });
    execFileSync("sh", ["-c", next.slice(next.indexOf("rm "))]);
    expect(prepareDataDirectory(link, { uid }).database).toBe(join(link, "tt.db"));
  });

  test.each([
    ["missing", "Mount or create its target"],
    ["loop", "Correct the link"],
  ])("a link to nothing above the data directory is not to be removed: %s", (target, repair) => {
    const link = join(temporaryDirectory(), "loop");
    symlinkSync(target, link);
    for (const path of [join(link, "tt"), join(link, "deep/tt")]) {
      const fault = faultOf(path);
      expect(fault).toMatchObject({ code: "store_unsafe", facts: { path: link }, nextInHarness: ASK_PERSON_NEXT });
      expect(fault.next).toMatch(new RegExp(`^${repair}.*, or set TT_DATA_DIR`));
      expect(fault.next).not.toContain("rm ");
    }
  });

  test("a link to a directory that is missing works again once that is created", () => {
    const world = temporaryDirectory();
    symlinkSync("missing", join(world, "link"));
    expect(faultOf(join(world, "link/tt")).next).toContain("create its target");
    mkdirSync(join(world, "missing"));
    expect(prepareDataDirectory(join(world, "link/tt"), { uid }).database).toBe(join(world, "link/tt/tt.db"));
  });

  test.skipIf(skipUnless(isRoot, "root, to become another user"))("a parent that this user may not write", async () => {
    const world = temporaryDirectory();
    chmodSync(world, 0o755);
    expect(await call(["prepare", join(world, "tt")], { ...NOBODY })).toMatchObject({
      fault: "store_readonly",
      message: `${world} may not be written by this process (EACCES).`,
      next: ELSEWHERE_NEXT,
    });
  });

  test.skipIf(skipUnless(canMount, "root, to mount a file system"))("a read-only file system", () => {
    expect(onMount("ro", temporaryDirectory())).toMatchObject({ fault: "store_readonly" });
  });

  test.skipIf(skipUnless(canMount, "root, to mount a file system"))("a full file system", () => {
    expect(onMount("nr_inodes=3", temporaryDirectory())).toMatchObject({ fault: "store_full" });
  });
});
