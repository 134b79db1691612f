import { pathIn } from "../files/path-in.ts";
import { askProgram } from "./ask-program.ts";
import { readProcText } from "./proc-text.ts";

/** Stands for a boot that the machine cannot name; two of these say nothing about each other. */
export const UNKNOWN_BOOT = "unknown-boot";

const known = new Map<string, string>();

/** Which run of the machine this is. Read once: it cannot change under a living process. */
export function bootId(procRoot = "/proc"): string {
  const found = known.get(procRoot) ?? readBootId(procRoot);
  known.set(procRoot, found);
  return found;
}

function readBootId(procRoot: string): string {
  const fromProc = readProcText(pathIn(procRoot, "sys/kernel/random/boot_id"), 256)?.trim();
  if (fromProc) return fromProc;
  if (process.platform !== "darwin") return UNKNOWN_BOOT;
  try {
    return askProgram("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]).trim() || UNKNOWN_BOOT;
  } catch {
    // A sandbox may forbid it. Deadlines then still work within one boot.
    return UNKNOWN_BOOT;
  }
}
