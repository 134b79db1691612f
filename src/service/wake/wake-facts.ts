/** What is proven about a session that is to be woken. Reads only. */
import type { AgentId } from "../../domain/ids.ts";
import type { ProcessRef } from "../../domain/process.ts";
import { type Session, UNKNOWN_ACTIVITY } from "../../domain/session/session.ts";
import type { WakeFacts } from "../../domain/wake/ladder.ts";
import type { WakeTarget, Waking } from "../../ports/wake.ts";
import type { Deps } from "../deps.ts";

export interface Sleeper {
  readonly target: WakeTarget;
  readonly facts: WakeFacts;
}

export async function findSleeper(deps: Deps, waking: Waking, project: string, agentId: AgentId): Promise<Sleeper> {
  const { rooms } = await deps.store.readRooms({ project, agentId });
  const session = (await deps.store.readSessions(project)).find((row) => row.agentId === agentId) ?? null;
  const presences = rooms.flatMap((room) => room.presence.get(agentId) ?? []);
  const process = liveOf(deps, [...presences.map((presence) => presence.process), session?.process ?? null]);
  const place = {
    harness: session?.harness ?? rooms[0]?.state.members.get(agentId)?.harness ?? "agent",
    sessionId: presences.flatMap(({ sessionId }) => sessionId ?? [])[0] ?? session?.sessionId ?? null,
    process,
    cwd: session?.cwd ?? rooms[0]?.path ?? null,
    transcriptPath: session?.transcriptPath ?? null,
  };
  const seen = deps.sights?.activity(place) ?? null;
  const target = { ...place, activity: seen ?? session?.activity ?? UNKNOWN_ACTIVITY };
  return { target, facts: factsOf(deps, waking, target, { session, isCertain: seen !== null }) };
}

function factsOf(
  { probe }: Deps,
  waking: Waking,
  target: WakeTarget,
  { session, isCertain }: { readonly session: Session | null; readonly isCertain: boolean },
): WakeFacts {
  const waker = session?.waker ?? null;
  return {
    mode: waking.mode,
    process: target.process ? probe.verdict(target.process) : "unknown",
    waker: waker && probe.verdict(waker),
    native: waking.mode !== "off" && waking.hasInbox(target),
    hooked: session?.hooked ?? false,
    activity: target.activity.state,
    activityIsCertain: isCertain,
  };
}

/** A session may have been seen in a process that has ended since, and gone on in another. */
function liveOf({ probe }: Deps, processes: readonly (ProcessRef | null)[]): ProcessRef | null {
  const known = processes.filter((process) => process !== null);
  return known.find((process) => probe.verdict(process) === "alive") ?? known[0] ?? null;
}
