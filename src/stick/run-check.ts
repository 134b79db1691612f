/**
 * `tt check`: runs a command in the agent's own shell and records how it ended, if the agent holds the stick. No operation
 * does this: the MCP server runs outside of the agent's sandbox, so it must never take a command.
 */
import type { Check } from "../core/handoff.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { treeNow } from "./record-turn.ts";
import { type CheckRecorded, recordCheck } from "./rules/check.ts";

/** How a command ended, and what it printed. */
export type CommandOutcome = Omit<Check, "command" | "tree">;

export interface CheckedCommand {
  readonly exitCode: number;
  /** Null for a caller that holds no stick here: its check is not recorded. */
  readonly recorded: CheckRecorded | Refusal | null;
}

export async function runCheck(
  deps: Deps,
  { caller, room }: { readonly caller: Caller; readonly room: Room },
  { command, run }: { readonly command: string; readonly run: () => Promise<CommandOutcome> },
): Promise<CheckedCommand> {
  const holds = room.state.owner !== null && ownNames(caller).includes(room.state.owner);
  if (!holds) return { exitCode: (await run()).exitCode, recorded: null };
  // The tree that it runs on: the command itself may change files.
  const tree = await treeNow(deps, room);
  const outcome = await run();
  const check = { command, tree, ...outcome };
  const recorded = await changeRoom(deps, caller, { roomId: room.id }, (loaded, given) =>
    recordCheck(loaded.room, given, check),
  );
  return { exitCode: outcome.exitCode, recorded };
}

export function isRecorded({ recorded }: CheckedCommand): boolean {
  return recorded !== null && !isRefusal(recorded) && recorded.recorded;
}
