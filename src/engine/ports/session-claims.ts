import type { ProcessRef } from "../../core/process.ts";
import type { SessionClaim } from "../../session/rules/evidence.ts";

/** Explicit claims, kept by process. A claim stays until another one replaces it, or a caller withdraws it. */
export interface SessionClaims {
  read(process: ProcessRef): SessionClaim | null;
  write(process: ProcessRef, claim: SessionClaim): void;
  /** Whether there was one. */
  forget(process: ProcessRef): boolean;
}
