import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

/**
 * The program under test, built once per run into a directory of its own, so that neither an old build nor one
 * that happens meanwhile is tested by mistake. Each project loads its own copy of this module, so what they share
 * hangs on globalThis.
 */
declare module "vitest" {
  interface ProvidedContext {
    /** The path of the built `tt`. */
    tt: string;
  }
}

interface SharedBuild {
  users: number;
  readonly directory: string;
}

const root = resolve(import.meta.dirname, "../../..");
const shared = globalThis as { talkingStickBuild?: SharedBuild };

export default function setup(project: TestProject): () => void {
  shared.talkingStickBuild ??= { users: 0, directory: build() };
  const handle = shared.talkingStickBuild;
  handle.users += 1;
  project.provide("tt", join(handle.directory, "tt.cjs"));
  return () => {
    handle.users -= 1;
    if (handle.users > 0) return;
    delete shared.talkingStickBuild;
    rmSync(handle.directory, { recursive: true, force: true });
  };
}

/** Below the project, because the program finds its one native package from where it lies. */
function build(): string {
  const cache = join(root, ".cache");
  removeLeftovers(cache);
  const directory = join(cache, `tt-${process.pid}`);
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), directory], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return directory;
}

/** A run that was killed could not clean up. */
function removeLeftovers(cache: string): void {
  for (const name of existsSync(cache) ? readdirSync(cache) : []) {
    const [, pid] = /^tt-(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // The process may be another user's by now; the run is over.
    return false;
  }
}
