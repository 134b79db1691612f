import type { ProcessRef, ProcessVerdict } from "../domain/process.ts";

/** Looks at processes of this machine. Cheap enough to ask every two seconds. */
export interface ProcessProbe {
  self(): ProcessRef;
  /** The process of that pid right now; null when there is none or it cannot be seen. */
  find(pid: number): ProcessRef | null;
  verdict(ref: ProcessRef): ProcessVerdict;
}
