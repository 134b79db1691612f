/**
 * Which members can be reached without a wait in the room: those with a receiver that shows mail as it comes, those at
 * work whose hooks show it, and those whose harness is proven to take a wake. Reads only.
 */

import type { AgentId } from "../core/ids.ts";
import type { StoredMailbox } from "../core/mail-records.ts";
import type { Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom, withDoors } from "../engine/evidence.ts";
import type { RoomAtMoment } from "../engine/liveness-evidence.ts";
import { isReceiving, processesOfReceivers } from "../mail/rules/will-be-seen.ts";
import { busyAmong, hookedHere } from "../session/hooked-sessions.ts";
import type { Sight } from "../session/rules/aliveness.ts";
import { type Caller, type Evidence, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import type { Session } from "../session/rules/session.ts";
import { canBeWoken } from "../session/wake-facts.ts";
import { alivenessIn } from "./rules/liveness.ts";
import type { Room } from "./rules/room.ts";
import { afterSleep } from "./rules/settle.ts";

export type Reachability = Required<Pick<Evidence, "hookedAndBusy" | "receiving" | "wakeable">>;

export interface Reached {
  readonly project: string;
  readonly rooms: readonly Room[];
  readonly sessions: Iterable<Session>;
  /** The mailboxes of these members, by the names that the rooms know them by. A mailbox has its owner's present name. */
  readonly boxes: ReadonlyMap<AgentId, StoredMailbox>;
  readonly moment: Moment;
}

export async function reachabilityOf(deps: Deps, reached: Reached): Promise<Reachability> {
  const { project, rooms, sessions, boxes, moment } = reached;
  const known = [...sessions];
  const busy = busyAmong(deps, hookedHere(deps, known), "room", rooms);
  const receiving = receivingNow(deps, boxes, moment);
  // Looking into a harness's inbox costs more than the rest, so only members that nothing else reaches are looked up.
  const withRow = new Set(known.map(({ agentId }) => agentId));
  const quiet = [...boxes].filter(
    ([name, { agentId }]) => withRow.has(agentId) && !busy.has(agentId) && !receiving.has(name),
  );
  const woken = await Promise.all(quiet.map(([, { agentId }]) => canBeWoken(deps, project, agentId)));
  const wakeable = new Set(quiet.filter((_, index) => woken[index]).map(([name]) => name));
  const ofBusy = [...boxes].filter(([, { agentId }]) => busy.has(agentId)).map(([name]) => name);
  return { hookedAndBusy: new Set([...busy, ...ofBusy]), receiving, wakeable };
}

/** A receiver that shows the mail of a single sender does not count. */
function receivingNow(deps: Deps, boxes: ReadonlyMap<AgentId, StoredMailbox>, moment: Moment): ReadonlySet<AgentId> {
  const processes = [...boxes.values()].flatMap((box) => processesOfReceivers(receiversOfAll(box)));
  const sight = { moment, evidence: withDoors(deps, NO_EVIDENCE, processes) };
  const open = [...boxes].filter(([, box]) => receiversOfAll(box).some((receiver) => isReceiving(receiver, sight)));
  return new Set(open.map(([name]) => name));
}

function receiversOfAll({ receivers }: StoredMailbox) {
  return receivers.filter(({ from }) => from === undefined);
}

/** Of more members than that, only some are looked up. */
const FEW_MEMBERS = 50;

/** The members that a list may show as reachable: of many, those that are active, wait, or are seen to live. */
function membersToAsk(room: Room, sight: Sight): readonly AgentId[] {
  const names = [...room.state.members.keys()];
  if (names.length <= FEW_MEMBERS) return names;
  return names.filter((agentId) => {
    const its = alivenessIn(room, agentId, sight);
    return room.waits.has(agentId) || its.isActive || its.process === "alive";
  });
}

/** A room as a look at it shows it to the caller, and all that is known about its members. */
export async function lookAtMembers(deps: Deps, { room, moment }: RoomAtMoment, caller: Caller | null) {
  const given = await lookAtRoom(deps, { room, moment }, caller ? { caller } : {});
  const reachability = await reachabilityIn(deps, { room, moment }, membersToAsk(room, given));
  return { room: afterSleep(room, moment), given: { ...given, evidence: { ...given.evidence, ...reachability } } };
}

/** The same for members of one room, with everything read for it. */
export async function reachabilityIn(
  deps: Deps,
  { room, moment }: RoomAtMoment,
  names: Iterable<AgentId> = room.state.members.keys(),
): Promise<Reachability> {
  const { project } = room;
  const [boxes, sessions] = [await readBoxes(deps, names), await deps.store.readSessions(project)];
  return reachabilityOf(deps, { project, rooms: [room], sessions, boxes, moment });
}

/** The mailboxes of members, by the names that their rooms know them by. */
export async function readBoxes(deps: Deps, names: Iterable<AgentId>): Promise<ReadonlyMap<AgentId, StoredMailbox>> {
  const boxes = new Map<AgentId, StoredMailbox>();
  for (const name of new Set(names)) {
    const { window } = await deps.store.readMailbox(name, { kind: "messages", ids: [] });
    boxes.set(name, window.box);
  }
  return boxes;
}
