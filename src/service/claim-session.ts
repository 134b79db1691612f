/**
 * An explicit claim: "this process is that session". It is for harnesses that tell their commands no session id.
 * It cannot contradict what the harness itself says, and where one process serves many sessions it is refused,
 * because it would make them one.
 */
import type { AgentId } from "../domain/ids.ts";
import type { ProcessRef } from "../domain/process.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../domain/refusal.ts";
import { type Hash, sessionAgentId } from "../domain/session/agent-id.ts";
import { isSessionId } from "../domain/session/harness.ts";
import type { Identification, Identity } from "../domain/session/identity.ts";
import type { SessionClaims } from "../ports/session-claims.ts";
import { decodeId } from "./decode.ts";

export interface ClaimDeps {
  readonly claims: SessionClaims;
  readonly hash: Hash;
  /** Where the harness keeps the session's transcript, by its own rule. */
  readonly findTranscript?: (harness: string, sessionId: string) => string | null;
  /** Whether somebody lives under that name in another process than the one that claims it. */
  readonly livesElsewhere?: (agentId: AgentId, claiming: ProcessRef) => Promise<boolean>;
}

export interface ClaimSessionInput {
  readonly sessionId: string;
  /** Whose session it is; needed only in a terminal without a harness. */
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
  const { anchor, identity } = identification;
  // Whoever could not be told may say who it is; whoever was refused may not.
  if (isRefusal(identity) && identity.error !== "agent_id_required") return identity;
  if (!anchor) return noAnchor();
  const harness = anchor.harness ?? decodeId("harness", input.harness ?? "agent");
  if (isRefusal(harness)) return harness;
  const agentId = sessionAgentId(harness, sessionId, deps.hash);
  const known = toldByHarness(identity);
  if (known && known.sessionId !== sessionId) return contradicted(known);
  if (!isRefusal(identity) && identity.idSource === "explicit") return named(identity);
  if (await deps.livesElsewhere?.(agentId, anchor.process)) return taken(agentId, sessionId);
  deps.claims.write(anchor.process, { harness, sessionId });
  const told = known ? (identification.facts?.transcriptPath ?? null) : null;
  return { agentId, sessionId, transcriptPath: told ?? deps.findTranscript?.(harness, sessionId) ?? null };
}

export interface Unclaimed {
  /** Whether anything had been claimed here. */
  readonly forgotten: boolean;
}

/** Takes back what was claimed here, whoever calls: it can only make the caller who it is without it. */
export function forgetClaim({ claims }: Pick<ClaimDeps, "claims">, { anchor }: Identification): Unclaimed {
  return { forgotten: anchor !== null && claims.forget(anchor.process) };
}

/** The session as its harness itself named it, which no claim can change. */
function toldByHarness(identity: Identity | Refusal): Identity | null {
  if (isRefusal(identity)) return null;
  return ["call", "environment", "session_file", "session_card"].includes(identity.idSource) ? identity : null;
}

function contradicted({ agentId, harness, sessionId }: Identity): Refusal {
  return refuse(
    "not_authorized",
    `${harness} itself says that this is session ${sessionId}.`,
    `Go on as ${agentId}; there is nothing to claim.`,
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

function taken(agentId: AgentId, sessionId: string): Refusal {
  return refuse(
    "not_authorized",
    `Session ${sessionId} is ${agentId}, which lives in another process.`,
    "Claim the id of your own session, as your harness shows it.",
    { agent_id: agentId, session_id: sessionId },
  );
}

function noAnchor(): Refusal {
  return refuse(
    "not_authorized",
    "There is no process here that stands for one session alone, so a claim would join two.",
    "Set TT_AGENT_ID to a name of its own for each session, or give --agent NAME with each command.",
  );
}
