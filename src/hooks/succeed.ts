/** What happens to the session that a process had before: the new session takes it over, or it ends. */

import { sessionAgentId } from "../core/agent-id.ts";
import type { AgentId, RoomId } from "../core/ids.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import { changeRoom } from "../engine/commit.ts";
import type { Place } from "../engine/ports/workspace.ts";
import { policiesOf } from "../engine/room-policies.ts";
import { leave } from "../room/leave-room.ts";
import { asMember } from "../room/rules/join.ts";
import { noteSession, type SessionNews } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { SessionCard, SessionName } from "../session/rules/evidence.ts";
import type { HookDeps } from "./hook-deps.ts";
import type { HookCall } from "./rules/hook.ts";
import { successionOf, withOthers } from "./rules/succession.ts";

/** What is known of a session that is over. */
export const OVER: SessionNews = { activity: "unknown", hooked: false, process: null, waker: null, servers: null };

/** Writes a new card for the process. Returns the caller as it acts from now on. */
export async function succeed(deps: HookDeps, caller: Caller, call: HookCall, place: Place | null): Promise<Caller> {
  const { process, harness } = caller;
  const { sessionId, transcriptPath } = call;
  if (!process) return caller;
  const written = deps.cards.read(process);
  const card = written ?? claimOf(deps, process);
  const now = deps.clock.now().instant;
  const former = card && (await deps.store.resolveAlias(sessionAgentId(harness, card.sessionId, deps.digest)));
  // The longest grace of the rooms that it was in: it is one session, and goes on in all of them or in none.
  const policies = former === null ? [deps.policy] : await policiesOf(deps, former);
  const graceMs = Math.max(...policies.map(({ goneGraceMs }) => goneGraceMs));
  // A caller that claimed a session, and is now named by a hook without a start, was that session all along.
  const isTold = card !== null && !written && call.source === null;
  const due = isTold ? "adopts" : successionOf(card, { harness, sessionId, source: call.source, now, graceMs });
  const succession = withOthers(due, {
    former: card && otherProcessOf(deps, card, process),
    own: otherProcessOf(deps, { harness, sessionId }, process),
  });
  const successor = { ...caller, formerId: former };
  // Before the card is replaced: if this fails, another start of the session can still take over.
  if (former !== null && former !== caller.agentId) {
    deps.quiet?.close(former);
    if (succession === "adopts") await adopt(deps, successor, former);
    if (succession === "ends") await leaveAll(deps, { ...caller, agentId: former, formerId: null });
    if (succession !== "none" && place) await retire(deps, caller, former, place);
  }
  deps.cards.write(process, { harness, sessionId, transcriptPath });
  return succession === "adopts" ? successor : caller;
}

/** For a session that had no hooks yet, a claim counts like a card without an end. */
function claimOf({ claims }: HookDeps, process: ProcessRef): SessionCard | null {
  const claim = claims.read(process);
  return claim && { ...claim, transcriptPath: null };
}

/**
 * A start leaves a card, and an end marks it. So if there is no live card at a prompt, no hook reported the start. A
 * live card of another session proves nothing: a process may do something else beside its session for a while.
 */
export function wasStartLost({ cards }: HookDeps, { process }: Caller): boolean {
  const card = process && cards.read(process);
  return process !== null && (!card || !!card.ending);
}

/** In every room of the former session, the caller gets its membership, place, stick, mail and questions. */
async function adopt(deps: HookDeps, caller: Caller, former: AgentId): Promise<void> {
  const { rooms } = await deps.store.readRooms({ agentId: former });
  for (const { id: roomId } of rooms) await showUpIn(deps, caller, roomId);
}

/** Updates the room's record of the caller: its present name and process. */
export async function showUpIn(deps: HookDeps, caller: Caller, roomId: RoomId): Promise<void> {
  await changeRoom(deps, caller, { roomId }, ({ room, handles }, given) =>
    asMember(room, given, handles, (change) => ({ change, answer: true })),
  );
}

/** The liveness of a resumed session follows its present process, and no longer one that was killed. */
export async function followPresentProcess(deps: HookDeps, caller: Caller): Promise<void> {
  const { agentId, process } = caller;
  if (!process) return;
  const { rooms } = await deps.store.readRooms({ agentId });
  for (const { id: roomId, presence } of rooms) {
    const known = presence.get(agentId)?.process;
    if (!known || processKey(known) !== processKey(process)) await showUpIn(deps, caller, roomId);
  }
}

/** Records that a former session, which was not taken over, no longer runs in its process. */
async function retire(deps: HookDeps, caller: Caller, former: AgentId, { project }: Place): Promise<void> {
  const sessions = await deps.store.readSessions(project);
  if (!sessions.some(({ agentId }) => agentId === former)) return;
  const { facts: _, ...nameless } = caller;
  await noteSession(deps, { ...nameless, agentId: former, formerId: null }, project, OVER);
}

/** The session is over: it leaves every room, which frees a stick that it held. */
export async function leaveAll(deps: HookDeps, caller: Caller): Promise<void> {
  const { rooms } = await deps.store.readRooms({ agentId: caller.agentId });
  for (const room of rooms) {
    await leave(deps, caller, room.id, "session_ended");
    await noteSession(deps, caller, room.project, OVER);
  }
}

/** Another process that is proven to live and has the session, for example after a resume in a second terminal. */
export function otherProcessOf(
  { cards, probe }: HookDeps,
  session: SessionName,
  own: ProcessRef | null,
): ProcessRef | null {
  const ownKey = own && processKey(own);
  const others = cards.processesOf(session).filter((process) => processKey(process) !== ownKey);
  return others.find((process) => probe.verdict(process) === "alive") ?? null;
}
