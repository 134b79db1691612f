/**
 * Wires `tt doctor --prove`. Each harness runs below a process of our own (`app/prove-inside.ts`), which sees a throwaway
 * user and nothing of the person who asks. That process prints its evidence, a line of JSON each time. This one ends it
 * with all that it has started, and keeps the results.
 */
import { invalidInput, type Refusal } from "../core/refusal.ts";
import { wallTime } from "../core/time.ts";
import type { Harness } from "../harness/contract.ts";
import { HARNESSES, harnessNamed } from "../harness/harnesses.ts";
import { createSystemClock } from "../platform/clock/clock.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { stateDirectoryIn } from "../platform/files/install-records.ts";
import { makeThrowawayUser, type ThrowawayUser } from "../platform/files/proof-place.ts";
import { keepProofs, programMark } from "../platform/files/proof-records.ts";
import { loopbackOnly, runContained } from "../platform/process/contained.ts";
import { findProgram, safePath } from "../platform/process/find-program.ts";
import { runChild } from "../platform/process/run-briefly.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { judgeChecks, NO_PROOF_EVIDENCE, type ProofEvidence } from "../prove/rules/checks.ts";
import { type HarnessProof, type ProveRequest, protectionOf, type TriedHarness } from "../prove/rules/protection.ts";

export { proveInside } from "./prove-inside.ts";

interface Prover extends ProveRequest {
  readonly env: Environment;
  readonly version: string;
  /** The file that Node runs as `tt`. */
  readonly tt: string;
  /** The words that put a command into a network of its own. */
  readonly alone: readonly string[];
}

/** Two cores are usual, and each harness keeps one of them busy. */
const AT_A_TIME = 2;
const VERSION_LIMIT_MS = 20_000;

export async function proveHarnesses(
  request: ProveRequest & Pick<Prover, "env" | "version" | "tt">,
): Promise<readonly TriedHarness[] | Refusal> {
  const home = homeDirectory(request.env);
  if (home === null) return invalidInput("HOME", "There is no home directory, so no result can be kept.", "Set HOME.");
  const prover = { ...request, alone: await loopbackOnly(request.env) };
  const chosen = request.names.length === 0 ? HARNESSES : request.names.flatMap((name) => harnessNamed(name) ?? []);
  const tried = await inParallel(AT_A_TIME, chosen, (harness) => tryHarness(prover, harness));
  const proofs = tried.flatMap(({ proof }) => proof ?? []);
  if (proofs.length > 0) keepProofs(stateDirectoryIn(home), proofs);
  return tried;
}

async function tryHarness(prover: Prover, harness: Harness): Promise<TriedHarness> {
  const { name, title, setup } = harness;
  const program = findProgram(prover.env, setup.program);
  const skipped = (reason: string) => ({ harness: name, title, proof: null, protection: null, reason });
  if (program === null) return skipped(`There is no ${setup.program} on the path.`);
  if (!harness.prove) return skipped(`tt cannot drive ${title} without its terminal.`);
  if (prover.interrupted.aborted) return skipped("interrupted");
  const user = makeThrowawayUser("tt-prove-", safePath(prover.env).join(":"));
  try {
    const found = await versionOf(program, user);
    if (found.version === null) return skipped(found.reason);
    prover.onProgress(harness.title, `version ${found.version}`);
    const evidence = await evidenceOf(prover, harness, program, user);
    if (prover.interrupted.aborted) return skipped("interrupted");
    return triedHarness(prover, harness, { version: found.version, program: programMark(program) ?? "", evidence });
  } finally {
    user.remove();
  }
}

function triedHarness(
  { version: ttVersion, alone }: Prover,
  { name, title }: Harness,
  { version, program, evidence }: { version: string; program: string; evidence: ProofEvidence },
): TriedHarness {
  const proof: HarnessProof = {
    harness: name,
    version,
    ttVersion,
    program,
    provenAt: wallTime(createSystemClock().now().wallMs),
    isolated: alone.length > 0,
    checks: judgeChecks(evidence),
  };
  return { harness: name, title, proof, protection: protectionOf(proof, { ttVersion, program }), reason: null };
}

/** In the throwaway home, because some programs write files even when they only tell their version. */
async function versionOf(program: string, { env, tree }: ThrowawayUser) {
  const run = { program, args: ["--version"], cwd: tree, env, timeoutMs: VERSION_LIMIT_MS, maxBytes: 4096 };
  const answer = await runChild(run).answer;
  const output = "output" in answer ? answer.output.trim() : "";
  const [version = null] = /\d+\.\d+\.\d+[-+.\w]*/.exec(output) ?? [];
  const said = output === "" ? "nothing" : JSON.stringify(output.split("\n")[0]);
  return { version, reason: `${program} --version names no version. It said ${said}.` };
}

async function evidenceOf(
  { alone, tt, limitMs, interrupted, onProgress }: Prover,
  { name, title }: Harness,
  program: string,
  { env, home, tree }: ThrowawayUser,
): Promise<ProofEvidence> {
  let evidence = NO_PROOF_EVIDENCE;
  const end = await runContained(alone, {
    args: [tt, "prove-harness", name, program],
    cwd: tree,
    env: { ...env, HOME: home },
    limitMs,
    interrupted,
    onLine(line) {
      const { stage } = evidence;
      evidence = JSON.parse(line) as ProofEvidence;
      if (evidence.stage !== stage) onProgress(title, evidence.stage);
    },
  });
  if (end !== "overdue") return evidence;
  return { ...evidence, failure: `no answer within ${limitMs / 1000} s, while ${evidence.stage}` };
}

/** The results are in the order of the items. */
async function inParallel<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}
