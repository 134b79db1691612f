import type { ProcessRef } from "../../core/process.ts";
import type { SessionName } from "../../session/rules/evidence.ts";

/** Explicit claims, kept by process. A claim stays until another one replaces it, or a caller withdraws it. */
export interface SessionClaims {
  read(process: ProcessRef): SessionName | null;
  write(process: ProcessRef, claim: SessionName): void;
  /** Whether there was one. */
  forget(process: ProcessRef): boolean;
}
