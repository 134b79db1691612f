/**
 * Which members can be reached without a wait in the room: those with a receiver that shows mail as it comes, those at
 * work whose hooks show it, and those whose harness is proven to take a wake. Reads only.
 */

import type { AgentId } from "../core/ids.ts";
import type { StoredMailbox } from "../core/mail-records.ts";
import { type Moment, wallMsOf } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor, withDoors } from "../engine/evidence.ts";
import { OBSERVER } from "../engine/observer.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import { isReceiving, processesOfReceivers } from "../mail/rules/will-be-seen.ts";
import { busyAmong, hookedHere } from "../session/hooked-sessions.ts";
import { type Evidence, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import type { Session } from "../session/rules/session.ts";
import { canBeWoken } from "../session/wake-facts.ts";
import type { Room } from "./rules/room.ts";

export type Reachability = Required<Pick<Evidence, "hookedAndBusy" | "receiving" | "wakeable">>;

export interface Reached {
  readonly project: string;
  readonly rooms: readonly Room[];
  readonly sessions: Iterable<Session>;
  /** The mailboxes of these members, by the names that the rooms know them by. */
  readonly boxes: ReadonlyMap<AgentId, StoredMailbox>;
  readonly moment: Moment;
}

export async function reachabilityOf(deps: Deps, reached: Reached): Promise<Reachability> {
  const { project, rooms, sessions, boxes, moment } = reached;
  const known = [...sessions];
  const hookedAndBusy = busyAmong(deps, hookedHere(deps, known), "room", rooms);
  const receiving = receivingNow(deps, boxes, moment);
  // Looking into a harness's inbox costs more than the rest, so only members that nothing else reaches are looked up.
  const quiet = known.filter(
    ({ agentId }) => boxes.has(agentId) && !hookedAndBusy.has(agentId) && !receiving.has(agentId),
  );
  const woken = await Promise.all(quiet.map(({ agentId }) => canBeWoken(deps, project, agentId)));
  const wakeable = new Set(quiet.filter((_, index) => woken[index]).map(({ agentId }) => agentId));
  return { hookedAndBusy, receiving, wakeable };
}

/** A receiver that shows the mail of a single sender does not count. */
function receivingNow(deps: Deps, boxes: ReadonlyMap<AgentId, StoredMailbox>, moment: Moment): ReadonlySet<AgentId> {
  const processes = [...boxes.values()].flatMap((box) => processesOfReceivers(receiversOfAll(box)));
  const given = givenFor(deps, OBSERVER, moment, withDoors(deps, NO_EVIDENCE, processes));
  const open = [...boxes].filter(([, box]) => receiversOfAll(box).some((receiver) => isReceiving(receiver, given)));
  return new Set(open.map(([name]) => name));
}

function receiversOfAll({ receivers }: StoredMailbox) {
  return receivers.filter(({ from }) => from === undefined);
}

/** Of more members than that, only some are looked up. */
const FEW_MEMBERS = 50;

/** The members that a list may show as reachable: of many, those that were seen lately, wait, or are seen to live. */
export function membersToAsk({ probe }: Deps, { room, moment }: Pick<RoomSnapshot, "room" | "moment">): AgentId[] {
  const { state, presence, waits, policy } = room;
  const names = [...state.members.keys()];
  if (names.length <= FEW_MEMBERS) return names;
  return names.filter((agentId) => {
    const known = presence.get(agentId);
    if (!known || waits.has(agentId)) return waits.has(agentId);
    if (moment.wallMs - wallMsOf(known.lastSeenAt) < policy.presenceTtlMs) return true;
    return known.process !== null && probe.verdict(known.process) === "alive";
  });
}

/** The same for members of one room, with everything read for it. */
export async function reachabilityIn(
  deps: Deps,
  { room, moment }: Pick<RoomSnapshot, "room" | "moment">,
  names: Iterable<AgentId> = room.state.members.keys(),
): Promise<Reachability> {
  const { project } = room;
  const boxes = new Map<AgentId, StoredMailbox>();
  for (const name of names) {
    const { window } = await deps.store.readMailbox(name, { kind: "messages", ids: [] });
    boxes.set(name, window.box);
  }
  const sessions = await deps.store.readSessions(project);
  return reachabilityOf(deps, { project, rooms: [room], sessions, boxes, moment });
}
