import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CliWorld } from "./support/cli-world.ts";

const sh = (script: string) => ["check", "--", "sh", "-c", script] as const;

describe("tt check", () => {
  it("ends as its command does, prints what it prints, and brings it into the handoff", async () => {
    const world = new CliWorld();
    await world.done("wait", { as: "a:1" });
    const failed = await world.tt(sh("echo out; echo err >&2; exit 3"), { as: "a:1" });
    expect([failed.code, failed.stdout]).toEqual([3, "out\n"]);
    expect(failed.stderr).toContain("err\n");
    expect(failed.stderr).toContain("✗ sh -c");
    expect((await world.tt("check -- true", { as: "a:1" })).code).toBe(0);
    await world.done(["release", "--status", "done", "--next-action", "go on"], { as: "a:1" });
    const granted = (await world.done("try --json", { as: "b:2" })).json();
    expect(granted["handoff"]).toMatchObject({
      checks: [
        { command: "sh -c 'echo out; echo err >&2; exit 3'", exit_code: 3 },
        { command: "true", exit_code: 0 },
      ],
    });
    expect((await world.done("state", { as: "b:2" })).stdout).toMatch(/check +✓ true/);
  });

  it("has the codes of a shell for a command that cannot run or is ended by a signal", async () => {
    const world = new CliWorld();
    writeFileSync(join(world.tree, "plain"), "no program");
    chmodSync(join(world.tree, "plain"), 0o644);
    expect((await world.tt("check -- no-such-program", { as: "a:1" })).code).toBe(127);
    expect((await world.tt("check -- ./plain", { as: "a:1" })).code).toBe(126);
    expect((await world.tt(sh("kill -15 $$"), { as: "a:1" })).code).toBe(128 + 15);
    expect((await world.tt("check", { as: "a:1" })).code).toBe(2);
  });

  it("of an agent without the stick runs, and says that it is not recorded", async () => {
    const world = new CliWorld();
    await world.done("wait", { as: "a:1" });
    const run = await world.tt("check -- echo hello", { as: "b:2" });
    expect([run.code, run.stdout]).toEqual([0, "hello\n"]);
    expect(run.stderr).toContain("not recorded: You do not hold the stick.");
  });

  it("runs its command also where the store cannot be used", async () => {
    const world = new CliWorld();
    await world.done("wait", { as: "a:1" });
    chmodSync(world.data, 0o755);
    const run = await world.tt(sh("exit 4"), { as: "a:1" });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain("not recorded:");
  });
});
