/** What is proven about a session to wake. Reads only. */
import type { AgentId } from "../core/ids.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import { elapsedMs } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import type { Whereabouts } from "../engine/ports/peer-sights.ts";
import type { WakeTarget, Waking } from "../engine/ports/wake.ts";
import type { Room } from "../room/rules/room.ts";
import type { WakeFacts } from "../wake/rules/ladder.ts";
import { activityNow } from "./activity-now.ts";
import type { Session } from "./rules/session.ts";

export interface FoundTarget {
  readonly target: WakeTarget;
  readonly facts: WakeFacts;
}

/** What must be known about the ways to wake a session before one is used. */
export type Ways = Pick<Waking, "mode" | "hasInbox">;

export async function findWakeTarget(
  deps: Deps,
  waking: Ways,
  project: string,
  agentId: AgentId,
): Promise<FoundTarget> {
  const { rooms } = await deps.store.readRooms({ project, agentId });
  const session = (await deps.store.readSessions(project)).find((row) => row.agentId === agentId) ?? null;
  const place = whereaboutsOf(
    deps,
    rooms.map((room) => ({ room, agentId })),
    session,
  );
  const activity = activityNow(deps, place);
  const target = { ...place, activity };
  const { process } = place;
  const waker = session?.waker ?? null;
  const facts: WakeFacts = {
    mode: waking.mode,
    process: isReplaced(rooms, agentId, process) ? "gone" : process ? deps.probe.verdict(process) : "unknown",
    waker: waker && deps.probe.verdict(waker),
    native: waking.mode !== "off" && (await waking.hasInbox(target)),
    hooked: session?.hooked ?? false,
    activity: activity.state,
    activityIsCertain: activity.isCertain,
  };
  return { target, facts };
}

/** Whether its harness is proven to take a wake now. What a terminal shows proves nothing for the moment after. */
export async function canBeWoken(deps: Deps, project: string, agentId: AgentId): Promise<boolean> {
  const { waking } = deps;
  if (!waking || waking.mode === "off") return false;
  try {
    const ways = { mode: waking.mode, hasInbox: () => false };
    const { target, facts } = await findWakeTarget(deps, ways, project, agentId);
    if (facts.process === "gone") return false;
    // An inbox is looked for last: its harness's files may be long.
    return facts.waker === "alive" || (await waking.hasInbox(target));
  } catch {
    // Looking into another session's harness may fail in any way; that must not fail a look at a room.
    return false;
  }
}

/** Whether a later session in the same process has replaced it: that session would get what the process is sent. */
function isReplaced(rooms: readonly Room[], agentId: AgentId, process: ProcessRef | null): boolean {
  if (!process) return false;
  return rooms.some(({ presence, state }) => {
    const own = presence.get(agentId);
    if (own === undefined || own.sessionId === null) return false;
    const harnessOf = (member: AgentId) => state.members.get(member)?.harness;
    // A script in its shell has the same process, but no session.
    const others = [...presence.values()].filter(
      (other) =>
        other.sessionId !== null &&
        other.sessionId !== own.sessionId &&
        harnessOf(other.agentId) === harnessOf(agentId) &&
        other.process !== null &&
        processKey(other.process) === processKey(process),
    );
    return others.some(({ lastSeen }) => elapsedMs(own.lastSeen, lastSeen) > 0);
  });
}

/** Where a session can be looked for. It may have been in a process that has ended since, and have gone on in another. */
export function whereaboutsOf(
  { probe }: Deps,
  seats: readonly { readonly room: Room; readonly agentId: AgentId }[],
  row: Session | null,
): Whereabouts {
  const [seat] = seats;
  const seen = seats.flatMap(({ room, agentId }) => room.presence.get(agentId) ?? []);
  const processes = [...seen, ...(row ? [row] : [])].flatMap(({ process }) => process ?? []);
  return {
    harness: row?.harness ?? seat?.room.state.members.get(seat.agentId)?.harness ?? "agent",
    sessionId: seen.flatMap(({ sessionId }) => sessionId ?? [])[0] ?? row?.sessionId ?? null,
    process: processes.find((process) => probe.verdict(process) === "alive") ?? processes[0] ?? null,
    cwd: row?.cwd ?? seat?.room.path ?? null,
    transcriptPath: row?.transcriptPath ?? null,
    ...(row && { activity: row.activity }),
  };
}
