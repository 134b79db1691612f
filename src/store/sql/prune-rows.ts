/** What forgetting tells: how much was deleted, and which names are left. */
import type { AgentId, RoomId } from "../../core/ids.ts";
import type { RowCounts, RowKind, StoredNames } from "../../engine/ports/prune-store.ts";
import { idOf, text } from "./decode.ts";
import { Columns } from "./read-rows.ts";
import type { SqlRow } from "./statement.ts";

export class Tally {
  readonly #counts = new Map<RowKind, number>();

  add(kind: RowKind | undefined, count: number): void {
    if (kind !== undefined && count > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  get counts(): RowCounts {
    return Object.fromEntries(this.#counts);
  }
}

type NameRows = { readonly [Key in keyof StoredNames]: readonly SqlRow[] };

export function readNames({ agents, sessionIds, members }: NameRows): StoredNames {
  return {
    agents: agents.map((row) => new Columns("members", row).get("agent_id", idOf<AgentId>())),
    sessionIds: sessionIds.map((row) => new Columns("sessions", row).get("session_id", text)),
    members: members.map((row) => {
      const columns = new Columns("members", row);
      return { agentId: columns.get("agent_id", idOf<AgentId>()), roomId: columns.get("room_id", idOf<RoomId>()) };
    }),
  };
}
