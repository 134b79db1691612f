/**
 * Says of a recorded process whether it still runs.
 *
 * Only what is certain becomes "gone": the kernel knows no such pid, the pid has another start time, the
 * process is a zombie, or the machine has booted since. Another host, another pid namespace, a hidden process
 * or a failed look are all "unknown", and an unknown agent loses nothing.
 *
 * Machines that were cloned from one image have one host name here. Where several machines use the store, another boot
 * may therefore be another machine's: a process of another boot is unknown, and after a reboot its lease has to end.
 */
import type { ProcessRef, ProcessVerdict } from "../../core/process.ts";
import type { ProcessProbe } from "../../engine/ports/process-probe.ts";
import { bootId as readBootId, UNKNOWN_BOOT } from "./boot-id.ts";
import type { ProcessTable } from "./process-table.ts";
import { createProcfsProcesses } from "./procfs-processes.ts";
import { createPsProcesses } from "./ps-processes.ts";

export interface ProbeOptions {
  readonly host: string;
  /** True where no other machine uses the store: a process of another boot is then one from before a reboot. */
  readonly soleMachine?: boolean;
  readonly bootId?: string;
  readonly processes?: ProcessTable;
}

export function createProcessProbe(options: ProbeOptions): ProcessProbe {
  const { host, soleMachine = false } = options;
  const bootId = options.bootId ?? readBootId();
  const processes = options.processes ?? (process.platform === "linux" ? createProcfsProcesses() : createPsProcesses());
  const { pidNamespace } = processes;
  let self: ProcessRef | null = null;
  /** When this process started, as it was seen. */
  let ownTicks: string | null = null;

  return {
    self() {
      self ??= { host, bootId, pidNamespace, pid: process.pid, startTicks: processes.ownStartTicks() };
      return self;
    },
    find(pid) {
      if (!isPid(pid)) return null;
      const sighting = processes.look(pid);
      return sighting.seen === "running" ? { host, bootId, pidNamespace, pid, startTicks: sighting.startTicks } : null;
    },
    verdict(ref): ProcessVerdict {
      if (ref.host !== host || ref.bootId === UNKNOWN_BOOT || bootId === UNKNOWN_BOOT) return "unknown";
      if (ref.bootId !== bootId) return soleMachine ? "gone" : "unknown";
      if (ref.pidNamespace !== pidNamespace || !isPid(ref.pid)) return "unknown";
      // Once this process has seen itself, it need not look again: the asking process is alive.
      const isSelf = ref.pid === process.pid;
      if (isSelf && ref.startTicks === ownTicks) return "alive";
      const sighting = processes.look(ref.pid);
      if (sighting.seen === "nothing") return "gone";
      if (sighting.seen === "hidden" || ref.startTicks === "") return "unknown";
      if (isSelf) ownTicks = sighting.startTicks;
      return sighting.startTicks === ref.startTicks ? "alive" : "gone";
    },
    isSuspended(ref) {
      const isHere = ref.host === host && ref.bootId === bootId && ref.pidNamespace === pidNamespace;
      // The process that asks is running.
      if (!isHere || !isPid(ref.pid) || ref.pid === process.pid) return false;
      const sighting = processes.look(ref.pid);
      return sighting.seen === "running" && sighting.startTicks === ref.startTicks && sighting.isStopped === true;
    },
  };
}

/** Zero and negative numbers mean process groups to the kernel, so they must never reach it. */
function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0;
}
