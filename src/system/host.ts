import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { readTextOrNull } from "./bounded-read.ts";

/**
 * A name for this machine that survives a new host name and a restart. The machine id itself is meant to stay
 * on the machine, so only a digest of it is shown and stored.
 */
export function machineHostId(machineIdFile = "/etc/machine-id"): string {
  const machineId = readTextOrNull(machineIdFile, 256)?.trim();
  if (!machineId || !/^[0-9a-f]{32}$/i.test(machineId)) return hostname();
  return createHash("sha256").update(`talking-stick host ${machineId.toLowerCase()}`).digest("hex").slice(0, 12);
}
