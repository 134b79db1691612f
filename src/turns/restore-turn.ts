import { flag, optional } from "../core/field.ts";
import type { Next, Step } from "../core/next.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { ownNames } from "../engine/evidence.ts";
import { operation } from "../engine/operation.ts";
import type { RestoreObstacle } from "../engine/ports/working-tree.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { TreeComparison } from "../stick/rules/snapshot.ts";
import { KEPT, namesOf, PATHS } from "./diff-turn.ts";
import { TURN } from "./show-turn.ts";
import { findTree, noSnapshot } from "./turn-trees.ts";

const MOST_NAMED = 50;
const ALLOWING = { shell: "add --yes", server: "give force" };

/** No tool: it writes files, and the MCP server is not held by the sandbox of the agent that calls it. */
export const restoreTurn = operation({
  name: "restore_turn",
  summary:
    "Gives paths the content that they had when a turn ended, or before another restore. Only for the holder and for a person.",
  needs: { store: "read", caller: "known", room: "existing" },
  input: { turnId: TURN, kept: optional(KEPT), paths: PATHS, force: optional(flag()) },
  refusals: ["invalid_turn_id", "no_snapshot", "newer_changes", "not_authorized"],
  mcp: "none",
  async run({ deps, caller, directory, roomId }, { turnId, kept, paths, force = false }) {
    if (turnId === undefined && kept === undefined) {
      return invalidInput("turn_id", "turn_id is missing.", "Give turn_id, or kept with the name that a restore gave.");
    }
    const found = await findTree(deps, roomId, { turnId, kept });
    if (isRefusal(found)) return found;
    const { room, record, tree, label } = found;
    if (!mayRestore(room, caller)) return notHolder(room);
    const names = namesOf(record, room, directory, paths);
    if (isRefusal(names)) return names;
    let present = room;
    const mayWrite = async () => {
      present = (await deps.store.readRoom(roomId))?.room ?? present;
      return mayRestore(present, caller);
    };
    const answer = await record.restore({ roomId, path: room.path }, tree, { paths: names, force, mayWrite });
    if ("obstacle" in answer) {
      if (answer.obstacle === "not_allowed") return notHolder(present);
      const named = found.turnId === null ? { kept: label } : { turn_id: found.turnId, since: true };
      return obstacle(answer, label, { do: "diff_turn", with: { ...named, paths } });
    }
    const { restored, deleted, failed } = answer;
    const before = answer.kept?.name ?? null;
    const next: Next = before === null ? [] : ["To undo this: ", undoing(before, paths)];
    return { turnId: found.turnId, restored, deleted, failed, kept: before, ...(before !== null && { next }) };
  },
});

function undoing(kept: string, paths: readonly string[]): Step {
  return { do: "restore_turn", with: { kept, force: true, paths } };
}

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

function obstacle(
  found: Exclude<RestoreObstacle, { readonly obstacle: "not_allowed" }>,
  label: string,
  diff: Step,
): Refusal<"newer_changes" | "invalid_path" | "no_snapshot"> {
  if (found.obstacle === "no_snapshot") return noSnapshot(label, found.skipped);
  if (found.obstacle === "no_such_path") {
    const { path } = found;
    const next = [
      "Name paths relative to your directory. ",
      "Ignored files, submodules, other repositories and files above 10 MB are not kept.",
    ];
    const message = `Neither the snapshot of ${label} nor one of now has ${path}.`;
    return refuse("invalid_path", message, next.join(""), { path });
  }
  return refuse(
    "newer_changes",
    `These files have changed since ${label}, and restoring would overwrite that: ${statOf(found.changes)}.`,
    ["To restore them anyway, ", ALLOWING, "; what is there now is kept. See the changes first: ", diff],
    { paths: found.changes.files.slice(0, MOST_NAMED).map(({ path }) => path) },
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
