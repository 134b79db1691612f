/**
 * What the mailbox protocol allows at the command line, where it is known who calls. The protocol itself accepts
 * every name, and programs may use names that they made up. The names of agents and of people are theirs: a command
 * of a harness answers for itself alone, and only a person discards mail that an agent has not read.
 */

import { isPersonsName } from "../../core/agent-id.ts";
import type { AgentId } from "../../core/ids.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import { notAuthorized } from "../../room/rules/refusals.ts";
import type { Identity } from "../../session/rules/identity.ts";

export interface MailboxUser {
  /** Null for one that nobody can name. */
  readonly identity: Identity | null;
  readonly insideHarness: boolean;
}

/** To take from a mailbox, to answer for it, or to send in its owner's name. */
export async function refuseUse(
  deps: Deps,
  { identity, insideHarness }: MailboxUser,
  project: string,
  owner: AgentId,
): Promise<Refusal | null> {
  if (!insideHarness || (await isOwn(deps, identity, owner)) || !(await isKnownName(deps, project, owner))) return null;
  return refuse(
    "not_authorized",
    `The mailbox of ${owner} is not yours${identity ? `; you are ${identity.agentId}` : ""}.`,
    "Use your own name, or one that no agent and no person has.",
    { named_agent_id: owner, ...(identity && { agent_id: identity.agentId }) },
  );
}

export async function refusePurge(
  deps: Deps,
  { identity }: MailboxUser,
  project: string,
  owner: AgentId,
): Promise<Refusal | null> {
  if (identity?.isPerson || !(await isKnownName(deps, project, owner))) return null;
  return notAuthorized(`purge the mailbox of ${owner}`, "leave the mail where it is");
}

async function isOwn({ store }: Deps, identity: Identity | null, owner: AgentId): Promise<boolean> {
  if (!identity) return false;
  const { agentId, formerId } = identity;
  return owner === agentId || owner === formerId || (await store.resolveAlias(agentId)) === owner;
}

/** Whether an id is a person's or an agent's: one that is in a room, has been in this project, or goes by another name now. */
async function isKnownName({ store }: Deps, project: string, id: AgentId): Promise<boolean> {
  if (isPersonsName(id) || (await store.resolveAlias(id)) !== id) return true;
  if ((await store.readRooms({ agentId: id })).rooms.length > 0) return true;
  return (await store.readSessions(project)).some(({ agentId }) => agentId === id);
}
