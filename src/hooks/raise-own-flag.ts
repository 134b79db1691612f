/**
 * Where several machines use one store, a sender elsewhere cannot raise a flag here. But it rings, and the MCP server
 * of the recipient's session hears that. The server raises the flag instead, so that the session's hooks find the mail.
 * The same holds when another agent takes the session's stick or place. A look costs two reads.
 */

import { Fault } from "../core/fault.ts";
import type { AgentId, RoomId } from "../core/ids.ts";
import type { Deps } from "../engine/deps.ts";
import { waitUntil } from "../engine/wait-until.ts";
import { unread } from "../mail/rules/mailbox.ts";

export interface HookedSession {
  readonly agentId: AgentId;
  readonly sessionId: string;
}

/** A ring may be lost; then the server looks this much later, or a hook looks at the session's next prompt. */
const LOOK_EVERY_MS = 30_000;

/** Resolves when it was told to end. Never rejects. */
export async function raiseOwnFlag(deps: Deps, session: HookedSession, signal: AbortSignal): Promise<void> {
  const { flags, store } = deps;
  const { agentId, sessionId } = session;
  if (!flags) return;
  let before: Holdings | null = null;
  const look = async () => {
    const now = await holdingsOf(deps, agentId);
    if (before && hasLost(before, now)) flags.raise([sessionId]);
    before = now;
    const { window } = await store.readMailbox(agentId, { kind: "messages", ids: [] });
    if (unread(window.box) > 0) flags.raise([sessionId]);
    return {};
  };
  try {
    await waitUntil(deps, { name: agentId, look, cancel: signal, everyMs: LOOK_EVERY_MS });
  } catch (error) {
    // This costs only time: the next call of a tool starts it again, and prompts look for mail in any case.
    if (!(error instanceof Fault)) throw error;
  }
}

/** For each room that the agent is in, what ended its last turn there. */
type Holdings = ReadonlyMap<RoomId, number | null>;

async function holdingsOf({ store }: Deps, agentId: AgentId): Promise<Holdings> {
  const { rooms } = await store.readRooms({ agentId });
  return new Map(rooms.map(({ id, state }) => [id, state.members.get(agentId)?.heldSeq ?? null]));
}

/** Whether a turn or a stay has ended since. The session itself may have ended it: a flag is only a hint. */
function hasLost(before: Holdings, now: Holdings): boolean {
  return [...before].some(([roomId, heldSeq]) => now.get(roomId) !== heldSeq);
}
