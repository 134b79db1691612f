/** The one way to change a room: gather evidence → transaction { load → decide → save } → ring the bell → answer. */
import type { Caller, Evidence, Given } from "../domain/given.ts";
import { type AgentId, asRoomId, type NoteId } from "../domain/ids.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import type { Decision } from "../domain/room/change.ts";
import { roomNotFound } from "../domain/room/refusals.ts";
import { agentsToRing } from "../domain/room/rings.ts";
import { actingAs } from "../domain/session/alias.ts";
import type { Changed, ChangeTarget, Loaded } from "../ports/store.ts";
import { decodeId } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { gatherEvidence, givenFor, ownNames } from "./evidence.ts";
import { noteJoin } from "./sessions/note-session.ts";

export type Decide<Answer> = (loaded: Loaded, given: Given) => Decision<Answer>;

/** Changes a room that exists. `about` are further agents whose liveness the decision asks for. */
export async function changeRoom<Answer>(
  deps: Deps,
  caller: Caller,
  target: { readonly roomId: string; readonly noteId?: NoteId },
  decide: Decide<Answer>,
  about: readonly AgentId[] = [],
): Promise<Answer | Refusal> {
  const decoded = decodeId("room_id", target.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(target.roomId);
  const evidence = gatherEvidence(deps, snapshot.room, snapshot.moment, [...ownNames(caller), ...about]);
  const storeTarget = target.noteId === undefined ? { roomId } : { roomId, noteId: target.noteId };
  const changed = await commit(deps, caller, storeTarget, evidence, decide);
  return changed ? changed.decision.answer : roomNotFound(target.roomId);
}

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
): Promise<Committed<Answer> | null> {
  let acting = caller;
  const changed = await deps.store.change(target, (loaded) => {
    acting = actingAs(caller, loaded.aliases);
    return decide(loaded, givenFor(deps, acting, loaded.moment, evidence));
  });
  if (!changed) return null;
  const { change } = changed.decision;
  const agents = agentsToRing(changed.before, change);
  if (agents.length > 0 || change.events.length > 0) await deps.bell.ring(agents);
  const joins = change.events.some(({ type }) => type === "member_joined" || type === "session_superseded");
  if (joins) await noteJoin(deps, acting, change.room.project);
  return { ...changed, caller: acting };
}
