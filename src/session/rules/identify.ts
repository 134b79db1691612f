/**
 * Finds the identity from the evidence. Every strategy is asked, so that `tt whoami --explain` can show all of them.
 * The strongest one that finds an identity counts.
 *
 * A caller can make a claim only if no stronger evidence exists. The claim counts from then on. If evidence later names
 * another session of that process, it is ignored: otherwise one session would be two agents, and the first would lock
 * the second out. Another claim replaces it, and so does a hook that reports a new session of the process.
 */
import type { Next } from "../../core/next.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { SessionEvidence } from "./evidence.ts";
import { fromGivenName } from "./explicit.ts";
import { anchorOf, findHarness, type HarnessFinding } from "./harness-finding.ts";
import {
  type Identification,
  type Identity,
  type StrategyName,
  type StrategyOutcome,
  TOLD_BY_HARNESS,
} from "./identity.ts";
import {
  type Clues,
  fromAncestry,
  fromCall,
  fromEnvironment,
  fromHook,
  fromPerson,
  fromSessionCard,
  fromSessionFile,
  fromSessionLeader,
  fromStickyClaim,
  type Strategy,
  type Verdict,
} from "./strategies.ts";

/** A harness tells its hook the session. */
const BY_HOOK: readonly Step[] = [["hook", fromHook]];

type Step = readonly [StrategyName, Strategy];

/** How a short-lived process, whose environment is fresh, detects its harness's session; strongest first. */
const BY_SHORT_PROCESS: readonly Step[] = [
  ["environment", fromEnvironment],
  ["session_file", fromSessionFile],
  ["session_card", fromSessionCard],
  ["sticky_claim", fromStickyClaim],
  ["ancestry", fromAncestry],
];

/**
 * The same for a server, which outlives sessions: its environment becomes outdated, the harness's own file does not.
 */
const BY_LONG_PROCESS: readonly Step[] = [
  ["call", fromCall],
  ["session_file", fromSessionFile],
  ["session_card", fromSessionCard],
  ["environment", fromEnvironment],
  ["sticky_claim", fromStickyClaim],
  ["ancestry", fromAncestry],
];

const WITHOUT_HARNESS: readonly Step[] = [
  ["person", fromPerson],
  ["session_leader", fromSessionLeader],
];

/** The session that a harness's evidence shows, without the name that the caller gives itself. */
export function detectSession(evidence: SessionEvidence, finding = findHarness(evidence)): Identity | null {
  return firstHit(detectionOf({ evidence, finding }));
}

export function identify(evidence: SessionEvidence, finding = findHarness(evidence)): Identification {
  const clues = { evidence, finding };
  const detection = detectionOf(clues);
  const rest = WITHOUT_HARNESS.map(ask(clues));
  const detected = firstHit(detection);
  const explicit = fromGivenName(clues, detected);
  const told = firstHit(asked(clues).filter(({ name }) => TOLD_BY_HARNESS.includes(name)));
  const shared = { anchor: anchorOf(finding, evidence), told };
  if ("refusal" in explicit) {
    const refused: StrategyOutcome = { name: "explicit", outcome: "abstain", reason: explicit.refusal.message };
    return { identity: explicit.refusal, strategies: [refused, ...[...detection, ...rest].map(outcomeOf)], ...shared };
  }
  const answers = [{ name: "explicit" as const, verdict: explicit }, ...detection, ...rest];
  const identity = firstHit(answers) ?? nobody(finding);
  const next = nextStep(identity);
  return { identity, strategies: answers.map(outcomeOf), ...shared, ...(next !== undefined && { next }) };
}

function detectionOf(clues: Clues): readonly Answer[] {
  const answers = asked(clues);
  const claimed = firstHit(answers.filter(({ name }) => name === "sticky_claim"));
  return claimed ? answers.map((answer) => unlessClaimed(answer, claimed)) : answers;
}

/** What each kind of evidence says, independent of the others. */
function asked(clues: Clues): readonly Answer[] {
  const { call, hook } = clues.evidence;
  return [...(hook ? BY_HOOK : []), ...(call ? BY_LONG_PROCESS : BY_SHORT_PROCESS)].map(ask(clues));
}

/** A hook acts for the session in its payload, and may be the one that ends the claim. */
function unlessClaimed({ name, verdict }: Answer, { sessionId }: Identity): Answer {
  const isOther = "identity" in verdict && verdict.identity.sessionId !== sessionId;
  if (!isOther || name === "hook" || !TOLD_BY_HARNESS.includes(name)) return { name, verdict };
  return { name, verdict: { abstains: `${verdict.reason}, but session ${sessionId} was claimed here before` } };
}

function ask(clues: Clues): (step: Step) => Answer {
  return ([name, strategy]) => ({ name, verdict: strategy(clues) });
}

interface Answer {
  readonly name: StrategyName;
  readonly verdict: Verdict;
}

function firstHit(answers: readonly Answer[]): Identity | null {
  for (const { verdict } of answers) if ("identity" in verdict) return verdict.identity;
  return null;
}

function outcomeOf({ name, verdict }: Answer): StrategyOutcome {
  if ("identity" in verdict) return { name, outcome: "hit", reason: verdict.reason };
  return { name, outcome: "abstain", reason: verdict.abstains };
}

function nobody(finding: HarnessFinding): Refusal<"agent_id_required"> {
  return refuse("agent_id_required", "The program cannot tell who is calling.", nextForUnidentified(finding));
}

/** A tool call cannot pass a command-line option; the person who configures the server can. */
const ASK_FOR_A_NAME = "Ask the person you work for to set TT_AGENT_ID to a name for you where this server is set up.";

function nextForUnidentified(finding: HarnessFinding): Next {
  const shell =
    finding.kind === "inherited"
      ? `Unset the variables of ${finding.names.join(" and ")} in this terminal, or say who you are with --agent.`
      : "Say who you are with --agent NAME, or set TT_AGENT_ID.";
  return [{ shell, server: ASK_FOR_A_NAME }];
}

function nextStep(identity: Identity | Refusal): Next | undefined {
  if ("error" in identity) return identity.next;
  if (identity.verified) return undefined;
  if (identity.idSource === "session_leader")
    return [{ shell: "Give --agent NAME to keep one name in every shell.", server: ASK_FOR_A_NAME }];
  return ["To be known by your session, say which it is: ", { do: "claim_session" }];
}
