/**
 * The one way to change a room: gather evidence → transaction { load → decide → save } → ring the bell → what follows
 * (around-commit.ts) → answer.
 */

import { type AgentId, asRoomId, type NoteId, type RoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { elapsedMs } from "../core/time.ts";
import { actingAs } from "../room/rules/alias.ts";
import type { Change, Decision } from "../room/rules/change.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import { agentsToRing } from "../room/rules/rings.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller, Evidence, Given } from "../session/rules/decision-input.ts";
import { afterCommit, beforeMove } from "./around-commit.ts";
import { decodeId } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { andCaller, everyWaiter, givenFor, nextWaiter, ownNames } from "./evidence.ts";
import { type Concern, EvidenceCollector, type RoomAtMoment } from "./liveness-evidence.ts";
import type { Changed, ChangeOptions, ChangeTarget, Loaded, Store } from "./ports/store.ts";

export type Decide<Answer> = (loaded: Loaded, given: Given) => Decision<Answer> | null;

/** The refusals of every change of a room by its id. */
export type RoomRefusal = Refusal<"invalid_input" | "room_not_found">;

interface ChangeRoomOptions extends CommitOptions {
  /** Further agents whose liveness the decision asks for. */
  readonly about?: readonly AgentId[];
  /**
   * Whether the stick goes to the next in the queue. Then, of the waiters, only the liveness of that one is asked for.
   */
  readonly handsOver?: boolean;
  /** For a change that the stick does not depend on: the room is not looked at before it is changed. */
  readonly fromMemory?: boolean;
}

/** Changes a room that exists. */
export async function changeRoom<Answer>(
  deps: Deps,
  caller: Caller,
  target: { readonly roomId: string; readonly noteId?: NoteId },
  decide: Decide<Answer>,
  { about = [], handsOver = false, fromMemory = false, ...options }: ChangeRoomOptions = {},
): Promise<Answer | RoomRefusal> {
  const decoded = decodeId("room_id", target.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  const others = handsOver ? nextWaiter(caller) : everyWaiter([...ownNames(caller), ...about]);
  const concern = andCaller(caller, others);
  const storeTarget = target.noteId === undefined ? { roomId } : { roomId, noteId: target.noteId };
  // What is missing in a recent memory is noticed inside the transaction; see commitKnowing.
  const known = fromMemory ? lastKnown(deps, roomId) : handsOver ? recentlyKnown(deps, roomId) : null;
  const roomAtMoment = known ?? (await deps.store.readRoom(roomId));
  if (!roomAtMoment) return roomNotFound(target.roomId);
  const commitSo = handsOver || known ? commitKnowing : commitWith;
  const changed = await commitSo(deps, caller, storeTarget, concern, decide, { ...options, roomAtMoment });
  return changed ? changed.decision.answer : roomNotFound(target.roomId);
}

/** Members who joined since the room was read are not judged. */
async function commitWith<Answer>(
  deps: Deps,
  caller: Caller,
  target: RoomTarget,
  concern: Concern,
  decide: Decide<Answer>,
  { roomAtMoment, ...options }: CommitOptions & { readonly roomAtMoment: RoomAtMoment },
): Promise<Committed<Answer> | null> {
  const collector = new EvidenceCollector(deps);
  await collector.lookAt(concern, roomAtMoment);
  return commit(deps, caller, target, collector, decide, options);
}

/**
 * For messages and notes, and for handing the stick over: commits one decision with evidence about every agent that it
 * depends on. Those agents are guessed from `roomAtMoment`, or else from the room as this process last saw it, which
 * saves a read of the store. If the guess was wrong, a second attempt follows.
 * Null when there is no such room, or when `decide` decides nothing.
 */
export async function commitKnowing<Answer>(
  deps: Deps,
  caller: Caller,
  target: RoomTarget,
  concern: Concern,
  decide: Decide<Answer>,
  { roomAtMoment: given, ...options }: CommitOptions & { readonly roomAtMoment?: RoomAtMoment } = {},
): Promise<Committed<Answer> | null> {
  const roomAtMoment = given ?? lastKnown(deps, target.roomId) ?? (await deps.store.readRoom(target.roomId));
  if (!roomAtMoment) return null;
  const collector = new EvidenceCollector(deps);
  await collector.lookAt(concern, roomAtMoment);
  let missed: Loaded | null = null;
  const first = await attempt(deps, caller, target, decide, options, (loaded) => {
    missed = collector.misses(concern, loaded) ? loaded : null;
    return missed ? null : collector.at(loaded.moment);
  });
  if (missed === null) return first;
  // Look at every agent again, so that all evidence is of one moment.
  const again = new EvidenceCollector(deps);
  await again.lookAt(concern, missed);
  return commit(deps, caller, target, again, decide, options);
}

type RoomTarget = Extract<ChangeTarget, { readonly roomId: RoomId }>;

export type CommitOptions = Pick<ChangeOptions, "expectsEvents">;

export interface Committed<Answer> extends Changed<Answer> {
  /** The name under which the caller acted: its own, or the present name of its session. */
  readonly caller: Caller;
}

/** The rooms of each store, as this process left them. Other processes may have changed them since. */
const lastSeen = new WeakMap<Store, Map<RoomId, RoomAtMoment>>();
const MOST_KNOWN = 32;

export function lastKnown({ store }: Deps, roomId: RoomId): RoomAtMoment | null {
  return lastSeen.get(store)?.get(roomId) ?? null;
}

/** A room that this process has just changed is mostly still as it left it. */
const RECENTLY_MS = 1000;

export function recentlyKnown(deps: Deps, roomId: RoomId): RoomAtMoment | null {
  const known = lastKnown(deps, roomId);
  return known && elapsedMs(known.moment.instant, deps.clock.now().instant) < RECENTLY_MS ? known : null;
}

function remember({ store }: Deps, roomAtMoment: RoomAtMoment): void {
  const rooms = lastSeen.get(store) ?? new Map<RoomId, RoomAtMoment>();
  if (rooms.size >= MOST_KNOWN) rooms.clear();
  lastSeen.set(store, rooms.set(roomAtMoment.room.id, roomAtMoment));
}

/** Commits one decision and rings for it. */
export async function commit<Answer>(
  deps: Deps,
  caller: Caller,
  target: ChangeTarget,
  evidence: Evidence | EvidenceCollector,
  decide: Decide<Answer>,
  options: CommitOptions = {},
): Promise<Committed<Answer> | null> {
  const evidenceFor = ({ moment }: Loaded) => (evidence instanceof EvidenceCollector ? evidence.at(moment) : evidence);
  return attempt(deps, caller, target, decide, options, evidenceFor);
}

/** If there is not enough evidence, nothing is decided and the answer is null. */
async function attempt<Answer>(
  deps: Deps,
  caller: Caller,
  target: ChangeTarget,
  decide: Decide<Answer>,
  options: CommitOptions,
  evidenceFor: (loaded: Loaded) => Evidence | null,
): Promise<Committed<Answer> | null> {
  let acting = caller;
  const changed = await deps.store.change(
    target,
    (loaded) => {
      acting = actingAs(caller, loaded.room, loaded.aliases);
      const evidence = evidenceFor(loaded);
      if (evidence === null) return null;
      const hasBeenHere = () => loaded.hasBeenHere(acting.agentId);
      const decision = decide(loaded, { ...givenFor(deps, acting, loaded.moment, evidence), hasBeenHere });
      if (decision) beforeMove(deps, loaded.room, decision.change.room);
      return decision;
    },
    { ...options, ring: ringFor },
  );
  if (!changed) return null;
  const { moment, decision } = changed;
  const { change } = decision;
  remember(deps, { room: change.room, moment });
  const agents = changed.rang ? null : ringFor(changed.before, change);
  if (agents) await deps.bell.ring(agents, { ringer: acting.agentId, wallMs: moment.wallMs });
  const { room, events, mail } = change;
  await afterCommit(deps, { caller: acting, before: changed.before, room, events, mail });
  return { ...changed, caller: acting };
}

/** Null when the change is of no interest to any waiter. */
function ringFor(before: Room, change: Change): readonly AgentId[] | null {
  const agents = agentsToRing(before, change);
  return agents.length > 0 || change.events.length > 0 ? agents : null;
}
