/** The settings file, and what doctor says about the way to a server. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CliWorld } from "./support/cli-world.ts";

const SECRET = "hunter2";

/** A machine whose settings file has this text and mode. */
function worldWith(settings: object, mode: number) {
  const world = new CliWorld();
  const file = join(world.directory("home/.config/tt"), "config.json");
  writeFileSync(file, JSON.stringify(settings));
  chmodSync(file, mode);
  return { world, file };
}

it("a password in a settings file that others may read is refused with the command that puts it right", async () => {
  const store = `postgres://me:${SECRET}@127.0.0.1:1/nowhere`;
  for (const mode of [0o644, 0o640, 0o604]) {
    const { world, file } = worldWith({ store }, mode);
    for (const line of ["state --json", "try --json"]) {
      const refused = await world.tt(line, { as: "a:1" });
      expect([refused.code, refused.error()]).toMatchObject([
        70,
        { error: "store_unsafe", next: `Run: chmod 600 ${file}`, retry: false },
      ]);
      expect(refused.stderr).not.toContain(SECRET);
    }
    const { findings } = (await world.tt("doctor --json", { as: "a:1" })).json() as { findings: object[] };
    expect(findings).toContainEqual(expect.objectContaining({ level: "broken", next: `Run: chmod 600 ${file}` }));
    chmodSync(file, 0o600);
    expect((await world.tt("state --json", { as: "a:1" })).error()).toMatchObject({ error: "store_unreachable" });
  }
});

it("a settings file without a password may be read by others", async () => {
  const { world } = worldWith({ hops_max: 3 }, 0o644);
  await world.done("join", { as: "a:1" });
  const { world: shared } = worldWith({ store: "postgres://me@127.0.0.1:1/nowhere" }, 0o644);
  expect((await shared.tt("state --json", { as: "a:1" })).error()).toMatchObject({ error: "store_unreachable" });
});

it("doctor says once that the way to another host can be read by others", async () => {
  const findings = async (store: string) => {
    const world = new CliWorld();
    const shown = await world.tt("doctor --json", { as: "a:1", env: { TT_STORE: store } });
    const all = (shown.json() as { findings: { name: string; level: string; text: string; next?: string }[] }).findings;
    expect(shown.stdout).not.toContain(SECRET);
    return all.filter(({ text }) => text.includes("not encrypted"));
  };
  expect(await findings(`postgres://me:${SECRET}@127.0.0.2:1/tt`)).toEqual([]);
  // Not one of the names of this machine, and yet no traffic leaves it.
  expect(await findings(`postgres://me:${SECRET}@0.0.0.0:1/tt`)).toMatchObject([
    { level: "warning", next: expect.stringContaining("sslmode=verify-full") },
  ]);
  expect(await findings(`postgres://me:${SECRET}@0.0.0.0:1/tt?sslmode=require`)).toEqual([]);
});
