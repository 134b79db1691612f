/**
 * A process is named by more than its pid, because pids are reused: the host, the boot, the pid namespace
 * and the start time together never name two processes.
 */
export interface ProcessRef {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTicks: string;
}

/** An agent whose process is unknown loses nothing. */
export type ProcessVerdict = "alive" | "gone" | "unknown";

export function processKey(ref: ProcessRef): string {
  return [ref.host, ref.bootId, ref.pidNamespace, ref.pid, ref.startTicks].join("/");
}

/** One run of a machine, from its start to its end. Machines that were cloned from one image have the same `host`. */
export interface BootRef {
  readonly host: string;
  readonly bootId: string;
}

export function bootKey({ host, bootId }: BootRef): string {
  return `${host}/${bootId}`;
}

/** The process that a key names; null when it names none. */
export function parseProcessKey(key: string): ProcessRef | null {
  const [host, bootId, pidNamespace, pid, startTicks, ...more] = key.split("/");
  if (!host || !bootId || !pidNamespace || !startTicks || more.length > 0) return null;
  if (pid === undefined || !/^[1-9]\d{0,9}$/.test(pid)) return null;
  return { host, bootId, pidNamespace, pid: Number(pid), startTicks };
}
