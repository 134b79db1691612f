/** Who is meant: a member by any of its names, or an id that is no member here any more. */

import type { Caller } from "../../domain/given.ts";
import { type AgentId, asAgentId } from "../../domain/ids.ts";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import type { Deps } from "../../service/deps.ts";
import { findAddressee } from "../../service/mail/find-addressee.ts";
import { OBSERVER } from "../../service/observer.ts";
import type { CliContext, Session } from "./context.ts";
import { roomOf } from "./room-of.ts";

export async function senderOf(
  context: CliContext,
  session: Session,
  name: string | undefined,
): Promise<AgentId | null | Refusal> {
  return name === undefined ? null : agentOf(context, session.deps, session.caller, name);
}

export async function agentOf(
  context: CliContext,
  deps: Deps,
  caller: Caller | null,
  name: string,
): Promise<AgentId | Refusal> {
  const room = await roomOf(context);
  const snapshot = isRefusal(room) ? null : await deps.store.readRoom(room.id);
  if (!snapshot) return asAgentId(name);
  const found = await findAddressee(deps, caller ?? OBSERVER, snapshot, name);
  if (!isRefusal(found)) return found.to === "room" ? asAgentId(name) : found.to;
  // Ids have a colon, handles have none; mail of somebody who left is still there to be read.
  const mayBeGone = found.error === "unknown_recipient" || found.error === "cross_project";
  return mayBeGone && name.includes(":") ? asAgentId(name) : found;
}
