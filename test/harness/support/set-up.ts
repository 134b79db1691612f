/** Sets harnesses up as a user does: their own settings first, then ours by `tt install`. */
import { execFileSync } from "node:child_process";
import { inject } from "vitest";
import type { Driver } from "./drivers/driver.ts";
import type { HarnessWorld } from "./harness-world.ts";

export function setUp(world: HarnessWorld, ...drivers: readonly Driver[]): void {
  install(world, drivers, []);
}

/** The same, and the hooks ask before each write. */
export function setUpGuarded(world: HarnessWorld, ...drivers: readonly Driver[]): void {
  install(world, drivers, ["--guard"]);
}

function install(world: HarnessWorld, drivers: readonly Driver[], flags: readonly string[]): void {
  for (const driver of drivers) driver.prepare(world);
  const words = [inject("tt"), "install", ...drivers.map(({ name }) => name), ...flags, "--yes", "--json"];
  execFileSync(process.execPath, words, {
    cwd: world.tree,
    env: world.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
}
