/** What the kept results of `tt doctor --prove` say about a harness as it is now. */
import type { CheckName, CheckOutcome, CheckResult } from "./checks.ts";

export interface HarnessProof {
  readonly harness: string;
  /** As the program prints it. */
  readonly version: string;
  /** The version of Talking Stick. */
  readonly ttVersion: string;
  /** Identifies the program file. An update of the harness replaces the file. */
  readonly program: string;
  /** Wall time, for people. */
  readonly provenAt: string;
  /** Whether it ran in a network that has nothing but loopback. */
  readonly isolated: boolean;
  readonly checks: readonly CheckResult[];
}

/** The versions that are installed now. `program` is null if the harness is not found. */
export interface InstalledNow {
  readonly ttVersion: string;
  readonly program: string | null;
}

/**
 * `guarded`: writes without the stick are refused. `partly`: some are, and `why` names the hole. `advisory`: none are.
 * `not_proven`: nothing is known about these versions.
 */
export interface Protection {
  readonly level: "guarded" | "partly" | "advisory" | "not_proven";
  readonly why: string | null;
}

const WRITES: Readonly<Partial<Record<CheckName, string>>> = {
  edit: "writes of its edit tool are not refused",
  shell: "writes of its shell are not refused",
};

export function protectionOf(proof: HarnessProof | null, now: InstalledNow): Protection {
  const outdated = proof && whyOutdated(proof, now);
  if (proof === null || outdated !== null) return { level: "not_proven", why: outdated };
  const writes = proof.checks.filter(({ check }) => WRITES[check] !== undefined);
  const open = writes.filter(({ outcome }) => outcome !== "proven");
  if (open.length === 0 && writes.length > 0) return { level: "guarded", why: null };
  if (open.length < writes.length) return { level: "partly", why: open.map(({ check }) => WRITES[check]).join(", ") };
  // If not even a message arrives, nobody is advised of anything.
  const isTold = proof.checks.some(({ check, outcome }) => check === "message" && outcome === "proven");
  return isTold ? { level: "advisory", why: null } : { level: "not_proven", why: writes[0]?.why ?? null };
}

/** Null if the proof is about what is installed now. */
function whyOutdated({ version, ttVersion, program }: HarnessProof, now: InstalledNow): string | null {
  if (ttVersion !== now.ttVersion) return `proven with tt ${ttVersion} and not for this version`;
  return program === now.program ? null : `proven with its version ${version} and not for this version`;
}

const WORDS: Readonly<Record<CheckOutcome, string>> = {
  proven: "proven",
  not_proven: "not proven",
  not_available: "not available",
};

/** The outcome of a check in words. */
export function outcomeWords({ outcome, why }: Pick<CheckResult, "outcome" | "why">): string {
  return why === null ? WORDS[outcome] : `${WORDS[outcome]}: ${why}`;
}

/** The same for the protection: `guarded`, `partly: <the hole>`, `advisory`, `not proven…`. */
export function protectionWords({ level, why }: Protection): string {
  const word = level === "not_proven" ? "not proven" : level;
  return why === null ? word : `${word}: ${why}`;
}

/** The same, with what it was proven with and when. */
export function provenWords({ protection, proof }: Pick<HarnessProtection, "protection" | "proof">): string {
  const words = protectionWords(protection);
  if (proof === null || protection.level === "not_proven") return words;
  return `${words} (${proof.version}, ${proof.provenAt.slice(0, 10)})`;
}

export interface HarnessProtection {
  readonly harness: string;
  readonly title: string;
  readonly protection: Protection;
  /** Null if it was never proven. */
  readonly proof: HarnessProof | null;
}

/** What came of `tt doctor --prove` for one harness. */
export interface TriedHarness {
  readonly harness: string;
  readonly title: string;
  /** Null if it was not run; `reason` says why. */
  readonly proof: HarnessProof | null;
  readonly protection: Protection | null;
  readonly reason: string | null;
}

export interface ProveRequest {
  /** None means every harness that is installed. */
  readonly names: readonly string[];
  /** For each harness. */
  readonly limitMs: number;
  readonly interrupted: AbortSignal;
  readonly onProgress: (title: string, text: string) => void;
}
