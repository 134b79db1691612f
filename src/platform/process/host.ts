import { readTextOrNull } from "../files/bounded-read.ts";
import { sha256Hex } from "../files/digest.ts";

/** What people call this machine; several may have the same name. */
export function machineName(): string {
  return process.getBuiltinModule("node:os").hostname();
}

/**
 * A name for this machine that survives a new host name and a restart. The machine id itself is meant to stay
 * on the machine, so only a digest of it is shown and stored.
 */
export function machineHostId(machineIdFile = "/etc/machine-id"): string {
  const machineId = readTextOrNull(machineIdFile, 256)?.trim();
  if (!machineId || !/^[0-9a-f]{32}$/i.test(machineId)) return machineName();
  return sha256Hex(`talking-stick host ${machineId.toLowerCase()}`).slice(0, 12);
}
