/** Whose mail is meant: a member by any of its names, or an id that is no member here any more. */
import { type AgentId, asAgentId } from "../../domain/ids.ts";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import { findAddressee } from "../../service/mail/find-addressee.ts";
import type { CliContext, Session } from "./context.ts";
import { roomOf } from "./room-of.ts";

export async function senderOf(
  context: CliContext,
  { deps, caller }: Session,
  name: string | undefined,
): Promise<AgentId | null | Refusal> {
  if (name === undefined) return null;
  const room = await roomOf(context);
  const snapshot = isRefusal(room) ? null : await deps.store.readRoom(room.id);
  if (!snapshot) return asAgentId(name);
  const found = await findAddressee(deps, caller, snapshot, name);
  if (!isRefusal(found)) return found.to === "room" ? asAgentId(name) : found.to;
  // Ids have a colon, handles have none; mail of somebody who left is still there to be read.
  const mayBeGone = found.error === "unknown_recipient" || found.error === "cross_project";
  return mayBeGone && name.includes(":") ? asAgentId(name) : found;
}
