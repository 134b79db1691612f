/**
 * An explicit claim: "this process is that session". It is for harnesses that tell their commands no session id.
 * It cannot contradict what the harness itself says, and where one process serves many sessions it is refused,
 * because it would make them one. What the harness says only after it changes nothing (session/rules/identify.ts);
 * then a claim of that very session does.
 */

import { type Hash, sessionAgentId } from "../core/agent-id.ts";
import { isSessionId } from "../core/harness.ts";
import type { AgentId } from "../core/ids.ts";
import type { ProcessRef } from "../core/process.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { decodeId } from "../engine/decode.ts";
import type { SessionClaims } from "../engine/ports/session-claims.ts";
import type { Identification, Identity } from "./rules/identity.ts";
import type { Session } from "./rules/session.ts";

export interface ClaimDeps {
  readonly claims: Pick<SessionClaims, "write" | "forget">;
  readonly hash: Hash;
  /** Where the harness keeps the session's transcript, by its own rule. */
  readonly findTranscript?: (harness: string, sessionId: string) => string | null;
  /** As whom a session is known already, in any project. */
  readonly knownAs?: (sessionId: string) => Promise<readonly KnownAs[]>;
  /** Whether somebody lives under that name, but not in the process that claims it; null for nobody. */
  readonly livesElsewhere?: (agentId: AgentId, claiming: ProcessRef) => Promise<Whereabouts | null>;
}

export type KnownAs = Pick<Session, "agentId" | "harness">;

/** `unseen`: somebody goes by that name, but nobody has seen a process of it. */
export type Whereabouts = "another_process" | "unseen";

/** Whose a session is that was claimed where no harness is, and of which nobody knows more. */
const NO_HARNESS = "agent";

export interface ClaimSessionInput {
  readonly sessionId: string;
  /** Whose session it is; needed only in a terminal without a harness, for a session that nobody knows yet. */
  readonly harness?: string | undefined;
}

export interface Claimed {
  readonly agentId: AgentId;
  readonly sessionId: string;
  /** As a hook told it, or by the harness's own rule; null when there is none yet. */
  readonly transcriptPath: string | null;
}

export async function claimSession(
  deps: ClaimDeps,
  identification: Identification,
  input: ClaimSessionInput,
): Promise<Claimed | Refusal> {
  const { sessionId } = input;
  if (!isSessionId(sessionId)) {
    return invalidInput("session_id", "session_id is not a session's id.", "Give the id as the harness shows it.");
  }
  const { anchor, identity, told } = identification;
  // Whoever could not be told may say who it is; whoever was refused may not.
  if (isRefusal(identity) && identity.error !== "agent_id_required") return identity;
  const claimed = !isRefusal(identity) && identity.idSource === "sticky_claim" ? identity : null;
  if (told && claimed?.sessionId !== sessionId) {
    if (told.sessionId !== sessionId) return contradicted(told, claimed);
    if (!claimed) return asTold(deps, told, sessionId, identification);
  }
  // What was claimed before is said once more; whoever knows the session by another name since does not change it.
  if (claimed?.sessionId === sessionId && input.harness === undefined)
    return asTold(deps, claimed, sessionId, identification);
  if (!anchor) return noAnchor();
  const known = (await deps.knownAs?.(sessionId)) ?? [];
  const harness = harnessOf(known, sessionId, anchor.harness, input.harness);
  if (isRefusal(harness)) return harness;
  const agentId = sessionAgentId(harness, sessionId, deps.hash);
  if (!isRefusal(identity) && identity.idSource === "explicit") return named(identity);
  const names = claimed?.agentId === agentId ? [] : new Set([agentId, ...known.map((as) => as.agentId)]);
  for (const name of names) {
    const whereabouts = await deps.livesElsewhere?.(name, anchor.process);
    if (whereabouts) return taken(name, sessionId, whereabouts);
  }
  deps.claims.write(anchor.process, { harness, sessionId });
  return { agentId, sessionId, transcriptPath: deps.findTranscript?.(harness, sessionId) ?? null };
}

/** A session that its harness names needs no claim; and where one process serves many, none is possible. */
function asTold(
  { findTranscript }: ClaimDeps,
  { agentId, harness }: Identity,
  sessionId: string,
  { facts }: Identification,
): Claimed {
  return { agentId, sessionId, transcriptPath: facts?.transcriptPath ?? findTranscript?.(harness, sessionId) ?? null };
}

/** Whose session it is. It is one agent, so a harness that it is not one of cannot have it. */
function harnessOf(
  known: readonly KnownAs[],
  sessionId: string,
  anchored: string | null,
  given: string | undefined,
): string | Refusal {
  const wanted = anchored ?? (given === undefined ? null : decodeId("harness", given));
  if (isRefusal(wanted)) return wanted;
  const owners = known.filter(({ harness }) => harness !== NO_HARNESS);
  const [owner] = owners;
  if (wanted === null || !owner) return wanted ?? owner?.harness ?? NO_HARNESS;
  return owners.some(({ harness }) => harness === wanted) ? wanted : ofAnotherHarness(owner, sessionId, anchored);
}

export interface Unclaimed {
  /** Whether anything had been claimed here. */
  readonly forgotten: boolean;
}

/** Takes back what was claimed here, whoever calls: it can only make the caller who it is without it. */
export function forgetClaim({ claims }: Pick<ClaimDeps, "claims">, { anchor }: Identification): Unclaimed {
  return { forgotten: anchor !== null && claims.forget(anchor.process) };
}

const CLAIM_YOUR_OWN = "Claim the id of your own session, as your harness shows it.";

function contradicted({ agentId, harness, sessionId }: Identity, claimed: Identity | null): Refusal {
  return refuse(
    "not_authorized",
    `${harness} itself says that this is session ${sessionId}.`,
    claimed
      ? `Go on as ${claimed.agentId}, as was claimed here, or claim ${sessionId}.`
      : `Go on as ${agentId}; there is nothing to claim.`,
    { agent_id: agentId, session_id: sessionId },
  );
}

function named({ agentId }: Identity): Refusal {
  return refuse(
    "not_authorized",
    `You go by the name ${agentId}, which was given to you.`,
    "Go on under that name; take away --agent or TT_AGENT_ID first if you want to be known by a session.",
    { agent_id: agentId },
  );
}

function taken(agentId: AgentId, sessionId: string, whereabouts: Whereabouts): Refusal {
  return refuse(
    "not_authorized",
    `Session ${sessionId} is ${agentId}, which ${whereabouts === "unseen" ? "is in use" : "lives in another process"}.`,
    CLAIM_YOUR_OWN,
    { agent_id: agentId, session_id: sessionId },
  );
}

function ofAnotherHarness({ agentId, harness }: KnownAs, sessionId: string, anchored: string | null): Refusal {
  return refuse(
    "not_authorized",
    `Session ${sessionId} is one of ${harness}.`,
    anchored === null ? `Give --harness ${harness}, or leave it out.` : CLAIM_YOUR_OWN,
    { agent_id: agentId, session_id: sessionId, harness },
  );
}

function noAnchor(): Refusal {
  return refuse(
    "not_authorized",
    "There is no process here that stands for one session alone, so a claim would join two.",
    "Set TT_AGENT_ID to a name of its own for each session, or give --agent NAME with each command.",
  );
}
