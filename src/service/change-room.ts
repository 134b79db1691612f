/** The one way to change a room: gather evidence → transaction { load → decide → save } → ring the bell → answer. */
import type { Caller, Evidence, Given } from "../domain/given.ts";
import { type AgentId, asRoomId, type NoteId } from "../domain/ids.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import type { Change, Decision } from "../domain/room/change.ts";
import { roomNotFound } from "../domain/room/refusals.ts";
import { agentsToRing } from "../domain/room/rings.ts";
import type { Room } from "../domain/room/room.ts";
import { actingAs } from "../domain/session/alias.ts";
import type { Changed, ChangeOptions, ChangeTarget, Loaded } from "../ports/store.ts";
import { decodeId } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { gatherEvidence, gatherHandoverEvidence, givenFor, ownNames } from "./evidence.ts";
import { hookedAndBusy, raiseFlags } from "./hooks/hooked-sessions.ts";
import { noteJoin } from "./sessions/note-session.ts";

export type Decide<Answer> = (loaded: Loaded, given: Given) => Decision<Answer>;

interface ChangeRoomOptions extends CommitOptions {
  /** Further agents whose liveness the decision asks for. */
  readonly about?: readonly AgentId[];
  /** Whether the stick goes to the next in the queue; of the waiters, only that one's liveness is asked for then. */
  readonly handsOver?: boolean;
}

/** Changes a room that exists. */
export async function changeRoom<Answer>(
  deps: Deps,
  caller: Caller,
  target: { readonly roomId: string; readonly noteId?: NoteId },
  decide: Decide<Answer>,
  { about = [], handsOver = false, ...options }: ChangeRoomOptions = {},
): Promise<Answer | Refusal> {
  const decoded = decodeId("room_id", target.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(target.roomId);
  const gathered = handsOver
    ? gatherHandoverEvidence(deps, snapshot.room, snapshot.moment, caller)
    : gatherEvidence(deps, snapshot.room, snapshot.moment, [...ownNames(caller), ...about]);
  const evidence = about.length === 0 ? gathered : await withBusy(deps, snapshot.room, gathered);
  const storeTarget = target.noteId === undefined ? { roomId } : { roomId, noteId: target.noteId };
  const changed = await commit(deps, caller, storeTarget, evidence, decide, options);
  return changed ? changed.decision.answer : roomNotFound(target.roomId);
}

/** Whoever is at work with hooks can be reached. */
async function withBusy(deps: Deps, { project, state }: Room, evidence: Evidence): Promise<Evidence> {
  return { ...evidence, hookedAndBusy: await hookedAndBusy(deps, project, [...state.members.keys()]) };
}

export type CommitOptions = Pick<ChangeOptions, "expectsEvents">;

export interface Committed<Answer> extends Changed<Answer> {
  /** Under which name the caller acted: its own, or the one its session goes by now. */
  readonly caller: Caller;
}

/** Commits one decision and rings for it. */
export async function commit<Answer>(
  deps: Deps,
  caller: Caller,
  target: ChangeTarget,
  evidence: Evidence,
  decide: Decide<Answer>,
  options: CommitOptions = {},
): Promise<Committed<Answer> | null> {
  let acting = caller;
  const changed = await deps.store.change(
    target,
    (loaded) => {
      acting = actingAs(caller, loaded.aliases);
      return decide(loaded, givenFor(deps, acting, loaded.moment, evidence));
    },
    { ...options, ring: whomToRing },
  );
  if (!changed) return null;
  const { change } = changed.decision;
  const agents = changed.rang ? null : whomToRing(changed.before, change);
  if (agents) await deps.bell.ring(agents, acting.agentId);
  await raiseFlags(deps, change.room.project, [...newRecipients(change), ...passedTo(changed.before, change)]);
  const joins = change.events.some(({ type }) => type === "member_joined" || type === "session_superseded");
  if (joins) await noteJoin(deps, acting, change.room.project);
  return { ...changed, caller: acting };
}

/** Those into whose mailboxes something was put. */
function newRecipients({ mail }: Change): readonly AgentId[] {
  return [...(mail?.deliveries.values() ?? [])].map(({ recipient }) => recipient);
}

/** Whom the stick is reserved for since this change. */
function passedTo(before: Room, { room }: Change): readonly AgentId[] {
  const reservedFor = room.state.reservation?.agentId ?? null;
  return reservedFor === null || reservedFor === before.state.reservation?.agentId ? [] : [reservedFor];
}

/** Null when nobody could notice the change. */
function whomToRing(before: Room, change: Change): readonly AgentId[] | null {
  const agents = agentsToRing(before, change);
  return agents.length > 0 || change.events.length > 0 ? agents : null;
}
