import { spawnSync } from "node:child_process";

/** A user that owns nothing. */
export const NOBODY = { uid: 65_534, gid: 65_534 } as const;

export const isRoot = process.getuid?.() === 0;

/** Whether tests may mount file systems that only their own children see. */
export const canMount = isRoot && spawnSync("unshare", ["-m", "true"]).status === 0;

/** A test that cannot run here says so aloud, because a silent gap looks like a pass. */
export function skipUnless(possible: boolean, needs: string): boolean {
  if (!possible) process.stderr.write(`SKIPPED: a test that needs ${needs}\n`);
  return !possible;
}
