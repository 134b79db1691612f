import { integer, optional } from "../core/field.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import type { Room } from "../room/rules/room.ts";
import { isSnapshot, type TreeComparison } from "../stick/rules/snapshot.ts";
import { listed } from "./list-turns.ts";
import type { TurnLine } from "./rules/turn-lines.ts";
import { messagesOf, type TurnMessage } from "./rules/turn-messages.ts";
import { findTurn, type KnownTurn, keptAround, treeAt, treeAtEnd } from "./turn-trees.ts";

export const TURN = optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));

export const showTurn = operation({
  name: "show_turn",
  summary: "One turn: its handoff, checks, changed files and the messages of that time. By default the present one.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: { turnId: TURN },
  refusals: ["invalid_turn_id"],
  mcp: "none",
  async run({ deps, roomId }, { turnId }) {
    const turn = await findTurn(deps, roomId, turnId);
    if (isRefusal(turn)) return turn;
    const { line, room, record } = turn;
    const kept = keptAround(record, room, line.turnId);
    const changes = await changesOf(turn);
    const end = turn.end?.outcome;
    return {
      turn: await listed(line, room, record, kept),
      handoff: line.handoff,
      files: changes?.files ?? null,
      moreFiles: changes?.more ?? 0,
      leftOut: end && isSnapshot(end) ? end.leftOut : [],
      messages: await messagesIn(deps, room, line),
    };
  },
});

async function changesOf(turn: KnownTurn): Promise<TreeComparison | null> {
  const from = treeAt(turn.line.turnId, turn.begin, "beginning");
  const to = isRefusal(from) ? from : await treeAtEnd(turn);
  if (isRefusal(from) || isRefusal(to)) return null;
  return turn.record && turn.record.changes(turn.room.path, from.treeId, to.treeId, from.head);
}

async function messagesIn({ store }: Deps, room: Room, line: TurnLine): Promise<readonly TurnMessage[]> {
  const end = line.lastSeq ?? room.state.lastSeq + 1;
  return messagesOf(line, await store.readEventsBefore(room.id, end, LIMITS.eventsPerScan));
}
