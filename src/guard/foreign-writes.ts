/** Records writes of agents that did not hold the stick, on evidence, and tells both sides once. */
import type { EventOf, ForeignWrite, RoomEvent } from "../core/event.ts";
import type { AgentId, RoomId } from "../core/ids.ts";
import type { DoneChange } from "../engine/around-commit.ts";
import { commit } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import type { Advice } from "../engine/ports/advice.ts";
import type { WriteAttempts } from "../engine/ports/write-attempts.ts";
import { begin, record } from "../room/rules/change.ts";
import type { Room } from "../room/rules/room.ts";
import { raiseFlagsIn } from "../session/hooked-sessions.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { foreignWrite } from "./rules/foreign-write.ts";
import { writingIn } from "./rules/verdict-text.ts";

/** `writer`: null if no evidence names one. */
export async function recordForeignWrite(
  deps: Deps,
  caller: Caller,
  roomId: RoomId,
  { writer, write }: { readonly writer: AgentId | null; readonly write: ForeignWrite },
): Promise<void> {
  await commit(deps, caller, { roomId }, NO_EVIDENCE, ({ room }, given) => ({
    change: record(begin(room), given, "foreign_write", write, { from: writer }),
    answer: true,
  }));
}

/**
 * Looks which attempts in a room have written, and records them. Called before a grant, and by the next hook of the agent
 * itself (`endedFor`), when its tools have ended.
 */
export async function settleAttempts(
  deps: Deps,
  attempts: WriteAttempts,
  caller: Caller,
  room: Pick<Room, "id" | "path">,
  endedFor: AgentId | null,
): Promise<void> {
  for (const { agentId, tool, duringTurn, paths } of attempts.settle(room.id, endedFor)) {
    const inRoom = paths.map((path) => (path.startsWith(`${room.path}/`) ? path.slice(room.path.length + 1) : path));
    const write = foreignWrite(inRoom, { evidence: "tool_call", tool, duringTurn });
    await recordForeignWrite(deps, caller, room.id, { writer: agentId, write });
  }
}

/** At a hook of the agent. `hasEnded`: its tools have ended by now. */
export async function settleOwnAttempts(
  deps: Deps,
  attempts: WriteAttempts,
  caller: Caller,
  hasEnded: boolean,
): Promise<void> {
  for (const roomId of attempts.roomsOf(caller.agentId)) {
    const snapshot = await deps.store.readRoom(roomId);
    if (snapshot) await settleAttempts(deps, attempts, caller, snapshot.room, hasEnded ? caller.agentId : null);
  }
}

/** Null if the change records no such write. */
export function tellOfForeignWrites(deps: Deps, advice: Advice, { room, events }: DoneChange): Promise<unknown> | null {
  const writes = events.filter(isForeignWrite);
  return writes.length === 0 ? null : tell(deps, advice, room, writes);
}

function isForeignWrite(event: RoomEvent): event is EventOf<"foreign_write"> {
  return event.type === "foreign_write";
}

async function tell(
  deps: Deps,
  advice: Advice,
  room: Room,
  writes: readonly EventOf<"foreign_write">[],
): Promise<void> {
  const told = writes.flatMap(({ fromAgentId: writer, payload: { duringTurn }, eventId, seq }) => {
    if (writer === null) return [];
    const facts = { kind: "foreign_write", roomId: room.id, at: seq } as const;
    const holder = duringTurn === room.state.turnId ? room.state.owner : null;
    const isToldHolder = holder !== null && advice.give(holder, eventId, facts);
    const isToldWriter = advice.give(writer, writingIn([room]), facts);
    return [...(isToldHolder ? [holder] : []), ...(isToldWriter ? [writer] : [])];
  });
  if (told.length > 0) await raiseFlagsIn(deps, room.project, told);
}
