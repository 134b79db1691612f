/** Who is meant: a member by any of its names, or an id that is no member here any more. */

import type { RoomEvent } from "../../../../core/event.ts";
import { type AgentId, asAgentId } from "../../../../core/ids.ts";
import { isRefusal, type Refusal } from "../../../../core/refusal.ts";
import type { Deps } from "../../../../engine/deps.ts";
import { newestEvents } from "../../../../engine/newest-events.ts";
import { findAddressee } from "../../../../mail/find-addressee.ts";
import { hasMailOf, hasWritten } from "../../../../mail/mailbox-reads.ts";
import type { Room } from "../../../../room/rules/room.ts";
import type { Caller } from "../../../../session/rules/decision-input.ts";
import { OBSERVER } from "../../../../session/rules/observer.ts";
import type { CliContext, CliSession } from "../../context.ts";
import { roomOf } from "../../room-of.ts";

export async function senderOf(
  context: CliContext,
  session: CliSession,
  name: string | undefined,
): Promise<AgentId | null | Refusal> {
  if (name === undefined) return null;
  const { deps, caller } = session;
  // An exact id wins, and senders of the mailbox protocol have nothing else.
  const id = asAgentId(name);
  if (await hasMailOf(deps, caller, id)) return id;
  const found = await agentOf(context, deps, caller, name);
  const isUnknown = isRefusal(found) && found.error === "unknown_recipient";
  return isUnknown && (await hasWritten(deps, caller, id)) ? id : found;
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
  // Ids have a colon, handles have none.
  if (!name.includes(":")) return found;
  const id = asAgentId(name);
  // A call that waits may wait for an agent that comes later.
  const waits = ["wait", "follow"].some((flag) => context.args.isSet(flag));
  if (waits || found.error === "cross_project") return id;
  return found.error === "unknown_recipient" && (await wasHere(deps, snapshot.room, id)) ? id : found;
}

/** Mail of an agent that left can still be read, and so can what it did: it has another name, or the log knows it. */
async function wasHere({ store }: Deps, room: Room, id: AgentId): Promise<boolean> {
  if ((await store.resolveAlias(id)) !== id) return true;
  const names = (event: RoomEvent) => event.fromAgentId === id || event.toAgentId === id;
  return (await newestEvents(store, room, 1, names)).length > 0;
}
