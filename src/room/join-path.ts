import { flag, optional, path } from "../core/field.ts";
import { HANDOFF_TEMPLATE } from "../core/handoff.ts";
import { type AgentId, asRoomId, type Handle, type RoomId } from "../core/ids.ts";
import { invariant } from "../core/invariant.ts";
import { changedPolicy, mayRefuse, type Policy } from "../core/policy.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { wallTime } from "../core/time.ts";
import { commit } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherCallersEvidence } from "../engine/evidence.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { locate } from "../engine/locate.ts";
import { operation } from "../engine/operation.ts";
import type { ChangeTarget } from "../engine/ports/store.ts";
import type { Place } from "../engine/ports/workspace.ts";
import { roomAt } from "../engine/room-at.ts";
import { noteJoin } from "../session/note-session.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { lookAtMembers } from "./reachability.ts";
import { placeOf, type Spot, spotOf } from "./room-place.ts";
import { type DerivedState, stateOf } from "./rules/derived-state.ts";
import { joinRoom } from "./rules/join.ts";
import { notAuthorized } from "./rules/refusals.ts";
import type { NewRoom, Room } from "./rules/room.ts";
import type { RoomPlace } from "./rules/room-place.ts";
import { listMembers, type MemberList } from "./rules/view.ts";

export interface Joined extends MemberList, RoomPlace {
  readonly agentId: AgentId;
  readonly handle: Handle;
  readonly roomId: RoomId;
  readonly canonicalPath: string;
  readonly requestedPath: string;
  readonly workspaceRoot: string;
  readonly project: string;
  readonly joinedExistingRoom: boolean;
  readonly warning?: string;
  /** Only what differs from the defaults. */
  readonly policy?: Partial<Policy>;
  readonly roomState: DerivedState;
  readonly cursorEventSeq: number;
  readonly handoffTemplate: typeof HANDOFF_TEMPLATE;
}

export interface Entered {
  readonly joined: Joined;
  readonly spot: Spot;
  readonly policy: Policy;
  /** Whether it was no member before. Of several calls that run at once, it is so for one. */
  readonly isNew: boolean;
}

export const joinPath = operation({
  name: "join_path",
  summary:
    "Joins the room of a directory (default: the project's), or creates it. Other calls join automatically. Call this to see who is here, or with force_new to give a subdirectory its own room.",
  needs: { store: "change", caller: "known", room: "none" },
  input: { contextPath: optional(path()), forceNew: optional(flag()) },
  instead: {
    agent_id_override: "The server finds out who calls. Set TT_AGENT_ID in its environment to name the caller.",
  },
  refusals: ["not_authorized"],
  mcp: "core",
  async run({ deps, caller, directory }, { contextPath = directory, forceNew = false }, call) {
    const unguarding = forceNew ? await whyNoNestedRoom(deps, caller, contextPath) : null;
    if (unguarding) return unguarding;
    const entered = await enterPath(deps, caller, contextPath, forceNew);
    if (isRefusal(entered)) return entered;
    call.entered?.(deps, caller, entered.joined.roomId);
    return { ...entered.joined, ...(await ignoringFaults(() => placeOf(deps, entered.spot))) };
  },
  next: () => ["Before you write, wait for your turn: ", { do: "wait_for_turn" }],
});

/** A room inside a guarded one would have a stick of its own, so an agent could write there without the guard's. */
async function whyNoNestedRoom(
  deps: Deps,
  { isPerson }: Caller,
  contextPath: string,
): Promise<Refusal<"not_authorized" | "invalid_path" | "invalid_input"> | null> {
  const place = await locate(deps, contextPath);
  if (isRefusal(place)) return place;
  const { room } = (await roomAt(deps, place)) ?? {};
  if (!room || !mayRefuse(room.policy.guard) || isPerson || room.path === place.canonicalPath) return null;
  return notAuthorized(`create a room inside ${room.path}, which is guarded`, "wait for the stick of that room");
}

/** Joins the deepest room that covers a path, or makes one at the workspace root (with `forceNew`, at the path). */
export async function enterPath(
  deps: Deps,
  caller: Caller,
  contextPath: string,
  forceNew = false,
): Promise<Entered | Refusal<"invalid_input" | "invalid_path">> {
  const place = await locate(deps, contextPath);
  if (isRefusal(place)) return place;
  const covering = await roomAt(deps, place);
  const target = roomTarget(deps, place, forceNew);
  const evidence = covering ? await gatherCallersEvidence(deps, covering, caller) : NO_EVIDENCE;
  const changed = await commit(deps, caller, target, evidence, (loaded, given) =>
    joinRoom(loaded.room, given, loaded.handles),
  );
  invariant(changed && !isRefusal(changed.decision.answer), "joining a path cannot be refused by the room");
  const { room } = changed.decision.change;
  // A session that is a member already may still bring news about itself.
  if (changed.decision.change.events.length === 0) await noteJoin(deps, changed.caller, room.project);
  const warning = forceNew ? forceNewWarning(place, changed.created, covering?.room ?? null) : undefined;
  const { agentId } = changed.caller;
  const { room: standing, given } = await lookAtMembers(deps, { room, moment: changed.moment }, changed.caller);
  const presence = room.presence.get(agentId);
  invariant(presence, "a member that joined is present");
  const policy = changedPolicy(room.policy);
  const joined = {
    agentId,
    handle: presence.handle,
    roomId: room.id,
    canonicalPath: room.path,
    requestedPath: place.requestedPath,
    workspaceRoot: place.workspaceRoot,
    project: room.project,
    joinedExistingRoom: !changed.created,
    ...(warning !== undefined && { warning }),
    ...(Object.keys(policy).length > 0 && { policy }),
    roomState: stateOf(standing, given),
    ...listMembers(standing, given),
    cursorEventSeq: room.state.lastSeq,
    handoffTemplate: HANDOFF_TEMPLATE,
  };
  return { joined, spot: spotOf(room), policy: room.policy, isNew: !changed.before.state.members.has(agentId) };
}

/** The deepest room that covers the place, or else a new one at its workspace root; with `forceNew`, at the place. */
export function roomTarget(deps: Deps, place: Place, forceNew: boolean): ChangeTarget {
  const otherwise = newRoomAt(deps, place);
  return {
    host: deps.host,
    paths: forceNew ? [place.canonicalPath] : place.candidates,
    otherwise: forceNew ? { ...otherwise, path: place.canonicalPath } : otherwise,
  };
}

/** The room that is made where there is none. */
export function newRoomAt(deps: Deps, place: Place): NewRoom {
  return {
    id: asRoomId(deps.random.id()),
    host: deps.host,
    path: place.workspaceRoot,
    project: place.project,
    policy: deps.policy,
    createdAt: wallTime(deps.clock.now().wallMs),
  };
}

function forceNewWarning(place: Place, created: boolean, covering: Room | null): string | undefined {
  if (!created) {
    return `force_new had no effect: a room at exactly ${place.canonicalPath} exists and was joined. A path below it gets a new room.`;
  }
  if (!covering) return undefined;
  return `This room is nested inside the room at ${covering.path}: each has its own stick, and neither guards the other's files.`;
}
