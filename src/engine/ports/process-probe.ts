import type { ProcessRef, ProcessVerdict } from "../../core/process.ts";

/** Looks at processes of this machine. Cheap enough to ask every two seconds. */
export interface ProcessProbe {
  self(): ProcessRef;
  /** The process of that pid right now; null when there is none or it cannot be seen. */
  find(pid: number): ProcessRef | null;
  verdict(ref: ProcessRef): ProcessVerdict;
  /** Whether it is seen to be stopped, by a signal or a debugger: it lives, and does nothing until it is continued. */
  isSuspended(ref: ProcessRef): boolean;
}
