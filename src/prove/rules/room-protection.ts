/** How far a room is protected from writes without the stick, over all harnesses of its user. */
import type { GuardMode } from "../../core/policy.ts";
import type { HarnessProof, Protection } from "./protection.ts";

/** One harness: whether its files make it ask before each write, and what was proven. */
export interface GuardedHarness {
  readonly harness: string;
  readonly title: string;
  readonly asks: boolean;
  /** Why it does not ask, if more is known. */
  readonly problem: string | null;
  /** Null if its program is not on the path. */
  readonly protection: Protection | null;
  /** Null if it was never proven. */
  readonly proof: HarnessProof | null;
}

/** The weakest harness counts, because any of them may write. */
export function roomProtection(mode: GuardMode, harnesses: readonly GuardedHarness[]): Protection {
  if (mode === "off") return { level: "advisory", why: "the guard is off" };
  if (mode === "advise") return { level: "advisory", why: "the guard only tells" };
  const asking = harnesses.filter(({ asks }) => asks);
  if (asking.length === 0) return { level: "advisory", why: "no harness asks before it writes: tt install --guard" };
  const silent = harnesses.find(({ asks }) => !asks);
  if (silent) return { level: "partly", why: `${silent.title} does not ask before it writes` };
  const weak = asking.find(({ protection }) => protection?.level !== "guarded");
  if (!weak) return { level: "guarded", why: null };
  return {
    level: "partly",
    why: `${weak.title}: ${weak.protection?.why ?? `not proven: tt doctor --prove ${weak.harness}`}`,
  };
}
