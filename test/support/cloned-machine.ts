/** Machines that were cloned from one image: equal machine ids, paths and pids, and each its own boot. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

const UNSHARE = ["unshare", "--map-root-user", "--mount", "sh", "-c"] as const;
const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const MACHINE_ID = "/etc/machine-id";

/** A command that starts the rest of its line on another machine, as far as the files of the kernel and the system tell. */
function onMachine(bootFile: string, machineFile: string): readonly string[] {
  const mounts = `mount --bind '${bootFile}' ${BOOT_ID} && mount --bind '${machineFile}' ${MACHINE_ID}`;
  return [...UNSHARE, `${mounts} && exec "$@"`, "sh"];
}

/** One more machine of the same image with each call. */
export function machineOfImage(image = temporaryDirectory()): { next(): readonly string[] } {
  const machineFile = join(image, "machine-id");
  writeFileSync(machineFile, "0123456789abcdef0123456789abcdef\n");
  return {
    next() {
      const boot = randomUUID();
      writeFileSync(join(image, boot), `${boot}\n`);
      return onMachine(join(image, boot), machineFile);
    },
  };
}

/** Whether this machine lets us make some. */
export const canCloneMachines =
  process.platform === "linux" &&
  spawnSync(UNSHARE[0], [
    ...UNSHARE.slice(1),
    `mount --bind /dev/null ${BOOT_ID} && mount --bind /dev/null ${MACHINE_ID}`,
  ]).status === 0;
