import { existsSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** Where files are kept in memory, if this machine has such a place for tests; else its temporary directory. */
export function quickPlace(): string {
  return isUsable(MEMORY) ? MEMORY : tmpdir();
}

/** Containers often have too little of it, or allow no programs in it. */
function isUsable(place: string): boolean {
  if (!existsSync(place) || !existsSync("/proc/mounts")) return false;
  const { bavail, bsize } = statfsSync(place);
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const mount = mounts.find((line) => line.split(" ")[1] === place);
  return bavail * bsize >= ENOUGH_BYTES && mount !== undefined && !/\bnoexec\b/.test(mount);
}
