/**
 * Whose command the caller is. The nearest harness among its ancestors decides, because an inner harness
 * inherits the environment of the outer one. Where no ancestor can be seen, the environment decides if it
 * names one harness alone. Two of them, or a terminal that merely inherited the variables, are ambiguous, and
 * ambiguity is an answer of its own: it is never resolved by a guess.
 */

import type { HarnessIdentity, HarnessMark, ProcessRole, ProcessSight } from "../../core/harness.ts";
import type { Surroundings } from "./evidence.ts";
import type { Anchor } from "./identity.ts";
import { isInteractiveShell } from "./interactive-shell.ts";
import { memoize } from "./program.ts";

interface Found {
  readonly harness: HarnessIdentity;
  readonly mark: HarnessMark | null;
}

export type HarnessFinding =
  /** `process` is null when only a helper of the harness can be seen. */
  | ({ readonly kind: "ancestor"; readonly process: ProcessSight | null; readonly role: ProcessRole } & Found)
  | ({ readonly kind: "environment" } & Found)
  | { readonly kind: "ambiguous"; readonly names: readonly string[] }
  | { readonly kind: "inherited"; readonly names: readonly string[] }
  | { readonly kind: "none" };

/** Surroundings do not change; several ask about the same ones. */
export const findHarness = memoize(lookForHarness);

function lookForHarness(surroundings: Surroundings): HarnessFinding {
  const known = surroundings.harnesses.map((harness) => ({ harness, mark: harness.markIn(surroundings.env) }));
  const nearest = nearestHarness(surroundings.ancestry.processes, known);
  if (nearest) return nearest;
  const marked = known.filter(({ mark }) => mark !== null);
  const [only, ...others] = marked;
  if (!only) return { kind: "none" };
  const names = marked.map(({ harness }) => harness.name);
  if (surroundings.ancestry.complete && surroundings.terminal.isTty) return { kind: "inherited", names };
  return others.length > 0 ? { kind: "ambiguous", names } : { kind: "environment", ...only };
}

function nearestHarness(processes: readonly ProcessSight[], known: readonly Found[]): HarnessFinding | null {
  let found: Extract<HarnessFinding, { kind: "ancestor" }> | null = null;
  for (const process of processes) {
    const owner = ownerOf(process, found ? [found] : known);
    if (owner && owner.role !== "helper") return { kind: "ancestor", process, ...owner };
    // A helper shows whose command it is; the process of the session may be further up.
    if (owner) found ??= { kind: "ancestor", process: null, ...owner };
    else if (found && ownerOf(process, known)) return found;
  }
  return found;
}

/** The program a process runs says more than a number in an environment that may be old. */
function ownerOf(process: ProcessSight, known: readonly Found[]) {
  for (const mark of [() => null, (found: Found) => found.mark]) {
    for (const found of known) {
      const role = found.harness.roleOf(process, mark(found));
      if (role) return { harness: found.harness, mark: found.mark, role };
    }
  }
  return null;
}

/**
 * Whether a harness runs the caller. Which of two it is does not matter here; a terminal that merely inherited their
 * variables is a person's.
 */
export function isOfHarness({ kind }: HarnessFinding): boolean {
  return kind === "ancestor" || kind === "environment" || kind === "ambiguous";
}

/** The process that stands for one session and no other; without a harness, the shell that leads the terminal. */
export function anchorOf(finding: HarnessFinding, { terminal }: Surroundings): Anchor | null {
  if (finding.kind === "none") {
    const { leader } = terminal;
    return leader && isInteractiveShell(leader) ? { process: leader.ref, harness: null } : null;
  }
  if (finding.kind !== "ancestor" || finding.role !== "session" || !finding.process) return null;
  return { process: finding.process.ref, harness: finding.harness.name };
}
