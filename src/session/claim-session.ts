/**
 * An explicit claim: "this process is that session". It is for harnesses that tell their commands no session id. It
 * cannot contradict what the harness itself says. If one process serves many sessions, a claim is refused, because it
 * would merge them. What the harness says later does not replace a claim (session/rules/identify.ts). A claim of the
 * session that the harness names does.
 */

import { sessionAgentId } from "../core/agent-id.ts";
import { id, optional, shaped } from "../core/field.ts";
import { isSessionId } from "../core/harness.ts";
import type { AgentId } from "../core/ids.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { lookUpAgent } from "../engine/look-up-agent.ts";
import { type ClaimBook, type Identified, operation } from "../engine/operation.ts";
import type { Identification, Identity } from "./rules/identity.ts";
import type { Session } from "./rules/session.ts";

type KnownAs = Pick<Session, "agentId" | "harness">;

/** `unseen`: an agent has that name, but nobody has seen a process of it. */
type Whereabouts = "another_process" | "unseen";

/** The harness of a session that was claimed outside a harness, if nothing else is known about it. */
const NO_HARNESS = "agent";

export interface Claimed {
  readonly agentId: AgentId;
  readonly sessionId: string;
  /** The path that a hook told, or that follows from the harness's own rule; null if there is none yet. */
  readonly transcriptPath: string | null;
}

export const SESSION_ID = shaped({ type: "string" }, (name, raw) =>
  isSessionId(raw) ? raw : invalidInput(name, `${name} is not a session's id.`, "Give the id as the harness shows it."),
);

export const claimSession = operation({
  name: "claim_session",
  summary:
    "Says which session of your harness you are, when get_my_session could not find out. It cannot contradict the harness itself.",
  needs: { store: "change", caller: "identified", room: "none" },
  input: {
    sessionId: SESSION_ID,
    // Required only in a terminal without a harness, for a session that nobody knows yet.
    harness: optional(id()),
  },
  refusals: ["not_authorized"],
  mcp: "gateway",
  async run({ deps, directory, ...who }, input, call) {
    const claimed = await claim(deps, directory, who, input);
    // Others know the session by its claimed name from now on.
    if (!isRefusal(claimed)) await call.renamed?.();
    return claimed;
  },
});

export async function claim(
  deps: Deps,
  directory: string,
  { identification, claims, hash }: Identified,
  { sessionId, harness: given }: { readonly sessionId: string; readonly harness?: string },
): Promise<Claimed | Refusal<"not_authorized" | "agent_id_required" | "invalid_input">> {
  const { anchor, identity, told, facts } = identification;
  // An unidentified caller may claim a session; a rejected one may not.
  if (isRefusal(identity) && identity.error !== "agent_id_required") return identity;
  const claimed = !isRefusal(identity) && identity.idSource === "sticky_claim" ? identity : null;
  // The path by the harness's own rule, for a session of which no hook told the path.
  const transcriptOf = (harness: string) =>
    deps.sights?.transcriptPath({ harness, sessionId, cwd: directory, process: null, transcriptPath: null }) ?? null;
  const known = ({ agentId, harness }: Identity): Claimed => ({
    agentId,
    sessionId,
    transcriptPath: facts?.transcriptPath ?? transcriptOf(harness),
  });
  if (told && claimed?.sessionId !== sessionId) {
    if (told.sessionId !== sessionId) return contradicted(told, claimed);
    // A session that its harness names needs no claim. If one process serves many sessions, no claim is possible.
    if (!claimed) return known(told);
  }
  // A repeated claim changes nothing, even if the session has got another name since.
  if (claimed?.sessionId === sessionId && given === undefined) return known(claimed);
  if (!anchor) return noAnchor();
  const owners = await deps.store.findSessions(sessionId);
  const harness = harnessOf(owners, sessionId, anchor.harness, given);
  if (isRefusal(harness)) return harness;
  const agentId = sessionAgentId(harness, sessionId, hash);
  if (!isRefusal(identity) && identity.idSource === "explicit") return named(identity);
  const names = claimed?.agentId === agentId ? [] : new Set([agentId, ...owners.map((owner) => owner.agentId)]);
  for (const name of names) {
    const whereabouts = await livesElsewhere(deps, name, anchor.process);
    if (whereabouts) return taken(name, sessionId, whereabouts);
  }
  claims.write(anchor.process, { harness, sessionId });
  return { agentId, sessionId, transcriptPath: transcriptOf(harness) };
}

/** Whether an agent lives under that name, but not in the process that claims it; null if none does. */
async function livesElsewhere(deps: Deps, agentId: AgentId, claiming: ProcessRef): Promise<Whereabouts | null> {
  const { live, processes } = await lookUpAgent(deps, agentId);
  const others = processes.filter((process) => processKey(process) !== processKey(claiming));
  if (others.some((process) => deps.probe.verdict(process) === "alive")) return "another_process";
  return live && processes.length === 0 ? "unseen" : null;
}

/** The harness of the session. A session is one agent of one harness, so it cannot belong to another harness. */
function harnessOf(
  known: readonly KnownAs[],
  sessionId: string,
  anchored: string | null,
  given: string | undefined,
): string | Refusal<"not_authorized"> {
  const wanted = anchored ?? given ?? null;
  const owners = known.filter(({ harness }) => harness !== NO_HARNESS);
  const [owner] = owners;
  if (wanted === null || !owner) return wanted ?? owner?.harness ?? NO_HARNESS;
  return owners.some(({ harness }) => harness === wanted) ? wanted : ofAnotherHarness(owner, sessionId, anchored);
}

export interface Unclaimed {
  /** Whether anything had been claimed here. */
  readonly forgotten: boolean;
}

/** Withdraws the claim made here. Any caller may: without the claim, the detected identity counts again. */
export function forgetClaim({ claims }: Pick<ClaimBook, "claims">, { anchor }: Identification): Unclaimed {
  return { forgotten: anchor !== null && claims.forget(anchor.process) };
}

const CLAIM_YOUR_OWN = "Claim the id of your own session, as your harness shows it.";

function contradicted({ agentId, harness, sessionId }: Identity, claimed: Identity | null): Refusal<"not_authorized"> {
  return refuse(
    "not_authorized",
    `${harness} itself says that this is session ${sessionId}.`,
    claimed
      ? `Go on as ${claimed.agentId}, as was claimed here, or claim ${sessionId}.`
      : `Go on as ${agentId}; there is nothing to claim.`,
    { agent_id: agentId, session_id: sessionId },
  );
}

function named({ agentId }: Identity): Refusal<"not_authorized"> {
  return refuse(
    "not_authorized",
    `Your name was set to ${agentId}.`,
    [
      {
        shell: "Go on under that name. To be known by a session, first remove --agent or TT_AGENT_ID.",
        server: "Go on under that name. The person who configured this server gave it to you, and can remove it.",
      },
    ],
    { agent_id: agentId },
  );
}

function taken(agentId: AgentId, sessionId: string, whereabouts: Whereabouts): Refusal<"not_authorized"> {
  return refuse(
    "not_authorized",
    `Session ${sessionId} is ${agentId}, which ${whereabouts === "unseen" ? "is in use" : "runs in another process"}.`,
    CLAIM_YOUR_OWN,
    { agent_id: agentId, session_id: sessionId },
  );
}

function ofAnotherHarness(
  { agentId, harness }: KnownAs,
  sessionId: string,
  anchored: string | null,
): Refusal<"not_authorized"> {
  return refuse(
    "not_authorized",
    `Session ${sessionId} is one of ${harness}.`,
    anchored === null
      ? [
          {
            shell: `Give --harness ${harness}, or leave it out.`,
            server: `Give ${harness} as harness, or leave it out.`,
          },
        ]
      : CLAIM_YOUR_OWN,
    { agent_id: agentId, session_id: sessionId, harness },
  );
}

function noAnchor(): Refusal<"not_authorized"> {
  return refuse("not_authorized", "No process here belongs to one session alone, so a claim would mix two sessions.", [
    {
      shell: "Set TT_AGENT_ID to a name of its own for each session, or give --agent NAME with each command.",
      server: "Ask the person you work for to give each session a server with a name of its own: TT_AGENT_ID.",
    },
  ]);
}
