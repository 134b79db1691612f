/**
 * Gathers what the room picture is made of. It only reads, and reads a bounded amount: the room, its newest events, and
 * the mailboxes of the members that the picture shows, however many members and events the room has.
 */
import { isPersonsName } from "../core/agent-id.ts";
import type { RoomEvent } from "../core/event.ts";
import type { AgentId, EventId, RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Ask, Delivery, StoredMailbox } from "../core/mail-records.ts";
import type { GuardMode } from "../core/policy.ts";
import type { Refusal } from "../core/refusal.ts";
import { cutTo } from "../core/visible.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor, lookAtRoom, withVerdicts } from "../engine/evidence.ts";
import type { Store } from "../engine/ports/store.ts";
import { isWaitedFor } from "../mail/rules/ask.ts";
import { isUnread, settled } from "../mail/rules/delivery.ts";
import { unread } from "../mail/rules/mailbox.ts";
import { reachabilityOf } from "../room/reachability.ts";
import { machinesOfRooms } from "../room/room-machine.ts";
import { machinesBeside } from "../room/rules/liveness.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import { afterSleep } from "../room/rules/settle.ts";
import { activityNow } from "../session/activity-now.ts";
import { type Caller, type Given, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { OBSERVER } from "../session/rules/observer.ts";
import type { SeenActivity, Session } from "../session/rules/session.ts";
import { whereaboutsOf } from "../session/wake-facts.ts";
import { makePicture, type RoomPicture, type ShownProtection } from "./rules/picture.ts";
import { membersToShow, type ShownMembers } from "./rules/picture-agents.ts";
import { isTalk } from "./rules/picture-talk.ts";

export interface PictureOptions {
  /** How many messages, handoffs and notes, and how many turns; none by default. */
  readonly talk?: number;
  readonly turns?: number;
  /** Whether to look up since when the holder holds. */
  readonly since?: boolean;
  /** Looks how far a room in this mode is protected; without it, nothing is told of that. */
  readonly protectionOf?: ((mode: GuardMode) => Promise<ShownProtection | null>) | undefined;
}

/** The first look at the log is small, because what is wanted is mostly recent. */
const FIRST_LOOK = 128;
const MOST_LOOKS = 12;
const MOST_QUESTIONS = 20;
const QUESTION_CHARACTERS = 300;
/** Of a mailbox with more unread mail, its own count is told, which may include mail that has expired since. */
const MAIL_LOOK = LIMITS.deliveriesPerPage;

export async function roomPicture(
  deps: Deps,
  caller: Caller | null,
  roomId: RoomId,
  options: PictureOptions = {},
): Promise<RoomPicture | Refusal<"room_not_found">> {
  const { store } = deps;
  const snapshot = await store.readRoom(roomId);
  if (!snapshot) return roomNotFound(roomId);
  const { moment } = snapshot;
  const room = afterSleep(snapshot.room, moment);
  const seen = await lookAtRoom(deps, snapshot, caller ? { caller } : {});
  const aliases = await store.readAliases([...room.state.members.keys()]);
  const nameHere = namesHere(room, aliases);
  const asks = await openAsks(deps, seen, room, nameHere);
  const shown = membersToShow(room, seen, new Set(asks.flatMap(({ asker, peer }) => [asker, peer])));
  const sessions = await sessionsOf(store, room, aliases);
  const mail = await mailOf(store, shown);
  // Whether a harness takes a wake is not shown, and costs more than the rest.
  const { waking: _, ...awake } = deps;
  const reached = { project: room.project, rooms: [room], sessions: sessions.values(), boxes: mail.boxes, moment };
  const reachability = await reachabilityOf(awake, reached);
  const given = { ...seen, evidence: { ...seen.evidence, ...reachability } };
  const events = await recentEvents(store, room, options);
  const isToCaller = ({ peer }: Ask) => peer === caller?.agentId;
  const left = caller?.isPerson ? await leftAsks(store, caller.agentId, asks) : [];
  const leftQuestions = left.map(({ requestId, asker, peer }) => ({
    asker: nameHere(asker),
    person: peer,
    messageId: requestId,
  }));
  const { talk: mostTalk = 0, turns: mostTurns = 0, protectionOf = async () => null } = options;
  const machineOfRoom = await machinesOfRooms(deps, [room], moment, given.evidence.hosts);
  return makePicture({
    room,
    given,
    machineOf: machinesBeside(deps.probe.self(), [room], given),
    machine: machineOfRoom(room),
    shown,
    asks,
    sessions,
    events,
    mostTalk,
    mostTurns,
    protection: await protectionOf(room.policy.guard),
    reader: { agentId: caller?.agentId ?? null, isPerson: caller?.isPerson ?? false },
    unread: mail.unread,
    ...lookAtSessions(deps, room, sessions, shown.rows),
    leftQuestions,
    readQuestions: await readAmong(store, [...asks.filter(isToCaller), ...left], caller),
    questions: await questionsIn(store, [...asks.filter(({ peer }) => isPersonsName(peer)), ...left]),
    deliveries: await deliveriesOf(store, events, mostTalk),
    openNotes: await store.countOpenNotes(roomId),
  });
}

type NameHere = (agentId: AgentId) => AgentId;

/** The name that the room knows an agent by, which may be a former one. */
function namesHere({ state }: Room, aliases: ReadonlyMap<AgentId, AgentId>): NameHere {
  const known = new Map([...aliases].map(([former, present]) => [present, former]));
  return (agentId) => (state.members.has(agentId) ? agentId : (known.get(agentId) ?? agentId));
}

/** The questions of members to members and to persons that are awaited now, under the names that the room knows. */
async function openAsks(deps: Deps, seen: Given, { state }: Room, nameHere: NameHere): Promise<readonly Ask[]> {
  const asks = (await deps.store.readWaitingAsks())
    .map((ask) => ({ ...ask, asker: nameHere(ask.asker), peer: nameHere(ask.peer) }))
    .filter(({ asker, peer }) => state.members.has(asker) && (state.members.has(peer) || isPersonsName(peer)));
  const callers = asks.map(({ caller }) => caller);
  const given = givenFor(deps, OBSERVER, seen.moment, withVerdicts(deps, NO_EVIDENCE, callers));
  return asks.filter((ask) => isWaitedFor(ask, given));
}

/** By the names that the room knows. */
async function sessionsOf(
  store: Store,
  { project, state }: Room,
  aliases: ReadonlyMap<AgentId, AgentId>,
): Promise<ReadonlyMap<AgentId, Session>> {
  const rows = new Map((await store.readSessions(project)).map((session) => [session.agentId, session]));
  const found = [...state.members.keys()].flatMap((agentId) => {
    const session = rows.get(aliases.get(agentId) ?? agentId);
    return session ? [[agentId, session] as const] : [];
  });
  return new Map(found);
}

async function mailOf(store: Store, { rows, gone, away }: ShownMembers) {
  const boxes = new Map<AgentId, StoredMailbox>();
  const waiting = new Map<AgentId, number>();
  const read = async (agentId: AgentId) => {
    const { window, moment } = await store.readMailbox(agentId, { kind: "live", limit: MAIL_LOOK });
    const { box, deliveries } = window;
    const counted = deliveries.filter((delivery) => isUnread(settled(delivery, moment))).length;
    boxes.set(agentId, box);
    waiting.set(agentId, deliveries.length < MAIL_LOOK ? counted : unread(box));
  };
  await Promise.all([...rows, ...gone, ...away].map(read));
  return { boxes: boxes as ReadonlyMap<AgentId, StoredMailbox>, unread: waiting as ReadonlyMap<AgentId, number> };
}

/** What the harnesses and working trees of this machine show. */
function lookAtSessions(
  deps: Deps,
  room: Room,
  sessions: ReadonlyMap<AgentId, Session>,
  rows: readonly AgentId[],
): { readonly activities: ReadonlyMap<AgentId, SeenActivity>; readonly branches: ReadonlyMap<AgentId, string> } {
  const activities = new Map<AgentId, SeenActivity>();
  const branches = new Map<AgentId, string>();
  if (room.host !== deps.host) return { activities, branches };
  const checkedOut = new Map<string, string | null>();
  for (const agentId of rows) {
    const place = whereaboutsOf(deps, [{ room, agentId }], sessions.get(agentId) ?? null);
    activities.set(agentId, activityNow(deps, place));
    if (place.cwd === null) continue;
    if (!checkedOut.has(place.cwd)) checkedOut.set(place.cwd, deps.workingTree.checkedOut(place.cwd)?.branch ?? null);
    const branch = checkedOut.get(place.cwd);
    if (branch) branches.set(agentId, branch);
  }
  return { activities, branches };
}

/** From the end of the log, until there is enough of everything that is wanted. */
async function recentEvents(store: Store, room: Room, wanted: PictureOptions): Promise<readonly RoomEvent[]> {
  const { talk = 0, turns = 0, since = false } = wanted;
  const { owner, turnId, lastSeq } = room.state;
  const wantsGrant = since && owner !== null;
  const missing = { talk, turns: turnId === 0 ? 0 : Math.max(turns, wantsGrant ? 1 : 0) };
  let events: readonly RoomEvent[] = [];
  let [end, size] = [lastSeq + 1, FIRST_LOOK];
  for (let look = 0; look < MOST_LOOKS && (missing.talk > 0 || missing.turns > 0); look += 1) {
    const page = await store.readEventsBefore(room.id, end, size);
    events = [...page, ...events];
    missing.talk -= page.filter(isTalk).length;
    missing.turns -= page.filter(({ type }) => type === "claim" || type === "takeover").length;
    const [first] = page;
    if (!first || page.length < size) break;
    [end, size] = [first.seq, LIMITS.eventsPerScan];
  }
  return events;
}

/** Unanswered questions to the person that nobody awaits now. */
async function leftAsks(store: Store, person: AgentId, awaited: readonly Ask[]): Promise<readonly Ask[]> {
  const known = new Set(awaited.map(({ requestId }) => requestId));
  return (await store.readUnansweredAsks(person, MOST_QUESTIONS)).filter(({ requestId }) => !known.has(requestId));
}

/** Those of the questions to the caller that it has read. */
async function readAmong(store: Store, asks: readonly Ask[], caller: Caller | null): Promise<ReadonlySet<EventId>> {
  const ids = asks.map(({ requestId }) => requestId);
  if (caller === null || ids.length === 0) return new Set();
  const { window } = await store.readMailbox(caller.agentId, { kind: "messages", ids });
  return new Set(window.deliveries.filter((delivery) => !isUnread(delivery)).map(({ messageId }) => messageId));
}

async function questionsIn(store: Store, asks: readonly Ask[]): Promise<ReadonlyMap<EventId, string>> {
  const messages = asks.length === 0 ? [] : await store.readMessages(asks.map(({ requestId }) => requestId));
  return new Map(messages.map(({ eventId, payload }) => [eventId, cutTo(payload.body, QUESTION_CHARACTERS)]));
}

async function deliveriesOf(
  store: Store,
  events: readonly RoomEvent[],
  mostTalk: number,
): Promise<ReadonlyMap<EventId, readonly Delivery[]>> {
  const said = mostTalk === 0 ? [] : events.filter(isTalk).slice(-mostTalk);
  const messages = said.filter(({ type }) => type === "message_sent").map(({ eventId }) => eventId);
  const deliveries = messages.length === 0 ? [] : await store.readDeliveries(messages);
  return new Map(messages.map((id) => [id, deliveries.filter(({ messageId }) => messageId === id)]));
}
