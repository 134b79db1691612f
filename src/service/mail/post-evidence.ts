/** What must be known about processes before a message is sent. */
import type { Caller, Evidence } from "../../domain/given.ts";
import type { AgentId } from "../../domain/ids.ts";
import type { Room } from "../../domain/room/room.ts";
import { elapsedMs, type Moment } from "../../domain/time.ts";
import type { RoomSnapshot } from "../../ports/store.ts";
import type { Deps } from "../deps.ts";
import { gatherEvidence, ownNames, withVerdicts } from "../evidence.ts";
import { hookedAndBusy } from "../hooks/hooked-sessions.ts";
import type { Addressee } from "./find-addressee.ts";

/** Whether the recipient is there and receiving, and whether those who ask are still waiting. */
export async function evidenceFor(
  deps: Deps,
  caller: Caller,
  { room, moment }: RoomSnapshot,
  { to, elsewhere }: Addressee,
  asks: boolean,
): Promise<Evidence> {
  const about = to === "room" ? [...room.state.members.keys()] : [to];
  const doubtful = [...ownNames(caller), ...about].filter((agentId) => mayBeGone(room, moment, agentId));
  const base = gatherEvidence(deps, room, moment, doubtful);
  const receivers = (await deps.store.readReceivers(about)).map(({ process }) => process);
  const askers = asks ? (await deps.store.readWaitingAsks()).map(({ caller: process }) => process) : [];
  const others = elsewhere.flatMap((other) => processesOf(other, about));
  const evidence = withVerdicts(deps, base, [...receivers, ...askers, ...others]);
  return { ...evidence, hookedAndBusy: await hookedAndBusy(deps, room.project, about) };
}

/** Whoever was heard within the room's grace counts as there whatever its process does, so that is not looked at. */
function mayBeGone({ presence, policy }: Room, { instant }: Moment, agentId: AgentId): boolean {
  const lastSeen = presence.get(agentId)?.lastSeen;
  return lastSeen === undefined || elapsedMs(lastSeen, instant) >= policy.goneGraceMs;
}

function processesOf(room: Room, agents: readonly AgentId[]) {
  return agents.flatMap((agentId) => [
    room.presence.get(agentId)?.process ?? null,
    room.waits.get(agentId)?.caller ?? null,
  ]);
}
