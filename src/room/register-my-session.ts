/** Registering: a claim, what the session's mailbox understands, and a place in the project's room. */

import { isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeFlag } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { refuseLeftover } from "../engine/refuse-leftover.ts";
import { type ClaimDeps, type Claimed, claimSession } from "../session/claim-session.ts";
import { noteSession } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { callerOf, type Identification } from "../session/rules/identity.ts";
import { ALL_CAPABILITIES, type Capabilities, type MailboxCapabilities } from "../session/rules/session.ts";
import { enterPath } from "./join-path.ts";

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
  const claimed = await claimSession(claimDeps, identification, { sessionId: input.sessionId });
  if (isRefusal(claimed)) return claimed;
  const caller = callerAfter(claimed, identification);
  const ended = refuseLeftover(deps, caller);
  if (ended) return ended;
  const entered = await enterPath(deps, caller, input.contextPath);
  if (isRefusal(entered)) return entered;
  await noteSession(deps, caller, entered.joined.project, { capabilities });
  return { ...claimed, capabilities };
}

/** Who calls from now on. A provisional name that it had before is merged into the claimed one. */
function callerAfter({ agentId, sessionId }: Claimed, { identity, anchor, facts }: Identification): Caller {
  if (isRefusal(identity)) {
    const [harness = "agent"] = agentId.split(":");
    const process = anchor?.process ?? null;
    return { agentId, harness, isPerson: false, process, sessionId, formerId: null, tmuxPane: null };
  }
  const formerId = identity.agentId === agentId ? identity.formerId : identity.verified ? null : identity.agentId;
  return { ...callerOf(identity, facts), agentId, sessionId, formerId };
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
