/**
 * Whether the shell may answer the next prompts and ends of turns of a session by itself. While it does, nobody looks for
 * anything but the flag. So there must be nothing that a hook has to do without one.
 */
import type { AgentId } from "../../core/ids.ts";
import type { StoredMailbox } from "../../core/mail-records.ts";
import { unread } from "../../mail/rules/mailbox.ts";
import type { Room } from "../../room/rules/room.ts";
import type { HookEvent } from "./hook.ts";

/** The hooks that look whether there is something to do, flag or not. */
export const LOOKS: readonly HookEvent[] = ["prompt", "stop"];

export interface AfterLook {
  readonly event: HookEvent;
  readonly agentId: AgentId;
  /** The rooms that the agent is in. */
  readonly rooms: readonly Room[];
  readonly box: StoredMailbox;
  /** The directories that a room of its place may have. */
  readonly candidates: readonly string[];
}

export function mayBeQuiet({ event, agentId, rooms, box, candidates }: AfterLook): boolean {
  // What is shown has to be settled. What could not be shown may fit next time.
  if (box.shown + unread(box) > 0) return false;
  const hasStick = rooms.some(({ state }) => state.owner === agentId || state.reservation?.agentId === agentId);
  if (hasStick) return false;
  // Only a prompt looks whether there is a room to join.
  return event === "prompt" || rooms.some(({ path }) => candidates.includes(path));
}
