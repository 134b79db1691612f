import { flag, integer, optional } from "../core/field.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { ownNames } from "../engine/evidence.ts";
import { operation } from "../engine/operation.ts";
import type { RestoreObstacle } from "../engine/ports/working-tree.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { TreeComparison } from "../stick/rules/snapshot.ts";
import { namesOf, PATHS } from "./diff-turn.ts";
import { findTurn, noSnapshot, treeAt } from "./turn-trees.ts";

const MOST_NAMED = 50;
const ALLOWING = { shell: "add --yes", server: "give force" };

/** No tool: it writes files, and the MCP server is not held by the sandbox of the agent that calls it. */
export const restoreTurn = operation({
  name: "restore_turn",
  summary: "Gives paths the content that they had when a turn ended. Only for the holder and for a person.",
  needs: { store: "read", caller: "known", room: "existing" },
  input: {
    turnId: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    paths: PATHS,
    force: optional(flag()),
  },
  refusals: ["invalid_turn_id", "no_snapshot", "newer_changes", "not_authorized"],
  mcp: "none",
  async run({ deps, caller, directory, roomId }, { turnId, paths, force = false }) {
    const turn = await findTurn(deps, roomId, turnId);
    if (isRefusal(turn)) return turn;
    const { room, record, line } = turn;
    if (!mayRestore(room, caller)) return notHolder(room);
    if (record === null) return noSnapshot(turnId, null);
    const names = namesOf(record, room, directory, paths);
    if (isRefusal(names)) return names;
    const target = treeAt(turnId, line.endedAt === null ? null : turn.end, "end");
    if (isRefusal(target)) return target;
    const answer = await record.restore({ roomId, path: room.path }, target, { paths: names, force });
    if ("obstacle" in answer) return obstacle(answer, turnId);
    const { restored, deleted, failed, before } = answer;
    return { turnId, restored, deleted, failed, beforeTree: before.treeId };
  },
});

function mayRestore({ state }: Room, caller: Caller): boolean {
  return caller.isPerson || ownNames(caller).some((name) => name === state.owner);
}

function notHolder({ state, path }: Room): Refusal<"not_authorized"> {
  const holder = state.owner === null ? "Nobody holds the stick" : `${state.owner} holds the stick`;
  return refuse(
    "not_authorized",
    `${holder} of ${path}. Only the holder and a person may restore files.`,
    ["Wait for your turn first: ", { do: "wait_for_turn" }],
    { holder: state.owner },
  );
}

function obstacle(found: RestoreObstacle, turnId: number): Refusal<"newer_changes" | "invalid_path" | "no_snapshot"> {
  if (found.obstacle === "no_snapshot") return noSnapshot(turnId, found.skipped);
  if (found.obstacle === "no_such_path") {
    const message = `Neither turn ${turnId} nor the tree as it is now has ${found.path}.`;
    return refuse(
      "invalid_path",
      message,
      ["See what the turn had: ", { do: "show_turn", with: { turn_id: turnId } }],
      {
        path: found.path,
      },
    );
  }
  return refuse(
    "newer_changes",
    `These files have changed since turn ${turnId}, and restoring would overwrite that: ${statOf(found.changes)}.`,
    ["See the changes first. To restore them anyway, ", ALLOWING, "; what is there now is kept."],
    {
      turn_id: turnId,
      paths: found.changes.files.slice(0, MOST_NAMED).map(({ path }) => path),
    },
  );
}

/** From now to then: what the restore would add is what was removed since. */
function statOf({ files, more }: TreeComparison): string {
  const named = files.slice(0, MOST_NAMED).map(({ path, added, removed, binary }) => {
    return binary || added === null || removed === null ? path : `${path} (+${removed} −${added})`;
  });
  const left = files.length - named.length + more;
  return `${named.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}
