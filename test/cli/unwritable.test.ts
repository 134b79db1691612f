/** Files that may not be written: doctor says so before a change fails, and both name the same file and its repair. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { isRoot, NOBODY, skipUnless } from "../support/privileges.ts";
import { CliWorld, type Outcome, type RunOptions } from "./support/cli-world.ts";

/** Root may write everything, so it works as a user that owns nothing else. */
const THROUGH = isRoot ? ["setpriv", `--reuid=${NOBODY.uid}`, `--regid=${NOBODY.gid}`, "--clear-groups"] : [];

class OrdinaryWorld extends CliWorld {
  constructor() {
    super();
    for (const path of isRoot ? [this.root, this.home, this.tree] : []) chownSync(path, NOBODY.uid, NOBODY.gid);
  }

  run(words: string, env: RunOptions["env"] = {}): Promise<Outcome> {
    return this.tt(`${words} --json`, { as: "a:1", env, through: THROUGH });
  }

  /** As the user who owns the files. */
  shell(line: string): void {
    const [program, ...args] = [...THROUGH, "sh", "-c", line];
    expect(spawnSync(program, args, { encoding: "utf8" })).toMatchObject({ status: 0 });
  }
}

function findingIn(outcome: Outcome, wanted: string): Record<string, string> | undefined {
  return (outcome.json() as { findings: Record<string, string>[] }).findings.find(({ name }) => name === wanted);
}

function canRun(): boolean {
  const [program, ...args] = [...THROUGH, process.execPath, inject("tt"), "--version"];
  return spawnSync(program, args).status === 0;
}

const CASES: readonly [what: string, forbid: (world: OrdinaryWorld) => string][] = [
  ["the database", ({ database }) => chmodded(database, 0o400)],
  [
    "an index that was left over",
    ({ database }) => {
      writeFileSync(`${database}-wal`, "");
      writeFileSync(`${database}-shm`, Buffer.alloc(32_768));
      for (const file of [`${database}-wal`, `${database}-shm`]) {
        if (isRoot) chownSync(file, NOBODY.uid, NOBODY.gid);
        chmodSync(file, 0o600);
      }
      return chmodded(`${database}-shm`, 0o400);
    },
  ],
];

function chmodded(path: string, mode: number): string {
  chmodSync(path, mode);
  return path;
}

describe.skipIf(skipUnless(canRun(), "a program that an ordinary user can run"))("what may not be written:", () => {
  it.each(CASES)("%s", async (_, forbid) => {
    const world = new OrdinaryWorld();
    expect((await world.run("join")).code).toBe(0);
    const path = forbid(world);
    const doctor = await world.run("doctor");
    const text = `store_readonly: ${path} may not be written by this process (EACCES).`;
    const next = expect.stringContaining(`If not, run: chmod u+rw ${path}`);
    expect([doctor.code, findingIn(doctor, "files")]).toEqual([70, { name: "files", level: "broken", text, next }]);
    const failed = await world.run("try");
    expect([failed.code, failed.error()]).toMatchObject([70, { error: "store_readonly", path, next }]);
    const [, repair = ""] = / run: (chmod .*)$/.exec(String(failed.error()["next"])) ?? [];
    world.shell(repair);
    expect((await world.run("doctor")).code).toBe(0);
    expect((await world.run("try")).code).toBe(0);
  });

  it.each([
    ["in which the data directory would be made", 0o500],
    ["that may not be entered", 0o600],
  ])("a directory %s", async (_, mode) => {
    const world = new OrdinaryWorld();
    world.shell(`mkdir -p ${world.root}/outer/inner && chmod ${mode.toString(8)} ${world.root}/outer`);
    const path = `${world.root}/outer`;
    const env = { TT_DATA_DIR: `${path}/${mode === 0o500 ? "deep" : "inner"}/tt` };
    const next = `If this is on purpose, set TT_DATA_DIR to another directory, then run tt install. If not, run: chmod u+rwx ${path}`;
    expect(findingIn(await world.run("doctor", env), "files")).toMatchObject({ level: "broken", next });
    expect((await world.run("join", env)).error()).toMatchObject({ error: "store_readonly", path, next });
  });

  it("a directory of another user, which only TT_DATA_DIR helps with", async () => {
    const world = new OrdinaryWorld();
    const failed = (await world.run("join", { TT_DATA_DIR: "/usr/tt" })).error();
    const next = "Set TT_DATA_DIR to a directory of your own on a local disk, then run tt install.";
    expect(failed).toMatchObject({ error: "store_readonly", path: "/usr", next });
  });

  it("inside a harness, where the permissions explain it", async () => {
    const world = new OrdinaryWorld();
    expect((await world.run("join")).code).toBe(0);
    chmodSync(world.database, 0o400);
    const env = { TT_AGENT_ID: undefined, TT_HARNESS_AGENT_ID: "some:1" };
    const next = expect.stringContaining(`Run: chmod u+rw ${world.database}`);
    const failed = (await world.run("try", env)).error();
    expect(failed).toMatchObject({ path: world.database, next });
    expect(findingIn(await world.run("doctor", env), "files")).toMatchObject({ next });
    world.shell(String(failed["next"]).replace("Run: ", ""));
    expect((await world.run("doctor", env)).code).toBe(0);
  });

  it("inside a harness, a directory of another user, which only a person can replace", async () => {
    const env = { TT_AGENT_ID: undefined, TT_HARNESS_AGENT_ID: "some:1", TT_DATA_DIR: "/usr/tt" };
    const next = "Ask the person you work for to run tt doctor.";
    expect((await new OrdinaryWorld().run("join", env)).error()).toMatchObject({ path: "/usr", next });
  });
});
