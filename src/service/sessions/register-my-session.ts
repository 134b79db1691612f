/** Registering: a claim, what the session's mailbox understands, and a place in the project's room. */
import { isRefusal, type Refusal, refuse } from "../../domain/refusal.ts";
import { callerOf, type Identification } from "../../domain/session/identity.ts";
import { ALL_CAPABILITIES, type Capabilities, type MailboxCapabilities } from "../../domain/session/session.ts";
import { type ClaimDeps, type Claimed, claimSession } from "../claim-session.ts";
import { decodeFlag } from "../decode.ts";
import type { Deps } from "../deps.ts";
import { joinPath } from "../join-path.ts";
import { noteSession } from "./note-session.ts";

/** As they come over the wire; what is left out is true. */
export interface GivenCapabilities {
  readonly mailbox?: Partial<Readonly<Record<"reply_to" | "provenance" | "push_budget", boolean>>>;
}

export interface RegisterInput {
  readonly sessionId: string;
  readonly contextPath: string;
  readonly capabilities?: GivenCapabilities;
}

export interface Registered extends Claimed {
  readonly capabilities: Capabilities;
}

export async function registerMySession(
  deps: Deps,
  claimDeps: ClaimDeps,
  identification: Identification,
  input: RegisterInput,
): Promise<Registered | Refusal> {
  const capabilities = decodeCapabilities(input.capabilities);
  if (isRefusal(capabilities)) return capabilities;
  const claimed = await claimUnlessKnown(claimDeps, identification, input.sessionId);
  if (isRefusal(claimed)) return claimed;
  const { identity, facts } = identification;
  if (isRefusal(identity)) {
    return refuse("agent_id_required", "It is not certain who is calling.", "Give --agent NAME, or set TT_AGENT_ID.");
  }
  const { agentId, sessionId } = claimed;
  const formerId = identity.agentId === agentId ? identity.formerId : identity.verified ? null : identity.agentId;
  const caller = { ...callerOf(identity, facts), agentId, sessionId, formerId };
  const joined = await joinPath(deps, caller, { contextPath: input.contextPath });
  if (isRefusal(joined)) return joined;
  await noteSession(deps, caller, joined.project, { capabilities });
  return { ...claimed, capabilities };
}

/** A session that its harness has named needs no claim, and where one process serves many, none is possible. */
async function claimUnlessKnown(deps: ClaimDeps, identification: Identification, sessionId: string) {
  const { identity } = identification;
  if (!isRefusal(identity) && identity.verified && identity.sessionId === sessionId) {
    const transcriptPath = identification.facts?.transcriptPath ?? deps.findTranscript?.(identity.harness, sessionId);
    return { agentId: identity.agentId, sessionId, transcriptPath: transcriptPath ?? null };
  }
  return claimSession(deps, identification, { sessionId });
}

const FIELDS = { replyTo: "reply_to", provenance: "provenance", pushBudget: "push_budget" } as const;

function decodeCapabilities(given: GivenCapabilities | undefined): Capabilities | Refusal {
  const mailbox: Record<string, boolean> = {};
  for (const [name, wire] of Object.entries(FIELDS)) {
    const value = decodeFlag(
      `capabilities.mailbox.${wire}`,
      given?.mailbox?.[wire],
      ALL_CAPABILITIES.mailbox[name as keyof MailboxCapabilities],
    );
    if (isRefusal(value)) return value;
    mailbox[name] = value;
  }
  return { mailbox: mailbox as unknown as MailboxCapabilities };
}
