/** At the end: what the store says, read as another program would. */
import { openDeps } from "../../src/app/open.ts";
import type { RoomEvent } from "../../src/core/event.ts";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { accepted } from "../../test/support/sqlite-world.ts";
import type { RoomLog } from "./records.ts";

export async function openStore(store: string, dataDir: string): Promise<Deps> {
  return accepted(await openDeps({ ...process.env, TT_STORE: store, TT_DATA_DIR: dataDir }));
}

export async function readLog({ store }: Deps, roomId: string): Promise<RoomLog> {
  const events: RoomEvent[] = [];
  for (;;) {
    const page = await store.readEvents(asRoomId(roomId), events.length, 1000);
    if (page.length === 0) return logOf(roomId, events);
    events.push(...page);
  }
}

function logOf(roomId: string, events: readonly RoomEvent[]): RoomLog {
  const grants = events.filter(({ type }) => type === "claim" || type === "takeover");
  return {
    roomId,
    grants: grants.map(({ turnId, fromAgentId }) => ({ turnId, agentId: fromAgentId ?? "" })),
    handoffs: new Map(events.flatMap(({ turnId, handoff }) => (handoff ? [[turnId, handoff.status] as const] : []))),
    messages: new Map(
      events
        .filter(({ type }) => type === "message_sent")
        .map(({ eventId, toAgentId }) => [eventId, toAgentId ?? "the room"] as const),
    ),
  };
}

export interface Mailboxes {
  /** What an agent has still to see or to confirm. */
  readonly open: number;
  /** What nobody will see. */
  readonly dead: number;
}

export async function readMailboxes({ store }: Deps, agents: readonly string[]): Promise<Mailboxes> {
  const all = { open: 0, dead: 0 };
  for (const agent of agents) {
    const { window } = await store.readMailbox(asAgentId(agent), { kind: "messages", ids: [] });
    const { counts } = window.box;
    all.open += counts.pending + counts.in_flight;
    all.dead += counts.dead_letter + counts.expired;
  }
  return all;
}
