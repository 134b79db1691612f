/**
 * What every look at a mailbox and every send begins with, in one statement: who is meant, the mailboxes as they are,
 * and whether there is more that would be worth a statement of its own. Most of the time there is not.
 */
import type { AgentId, RoomId } from "../../core/ids.ts";
import type { PostRequest } from "../../engine/ports/mail-store.ts";
import { bit, idOf, nullable, whole } from "../sql/decode.ts";
import { IS_LIVE, MAILBOX_COLUMNS, presentName } from "../sql/mail-load.ts";
import { Columns } from "../sql/read-rows.ts";
import { madeOnce, type SqlRow, type Statement } from "../sql/statement.ts";
import type { Connection } from "./connection.ts";

const name = idOf<AgentId>();
const count = nullable(whole);

export interface MailboxHead {
  /** The owner's present name. */
  readonly name: AgentId;
  /** The mailbox's row; none while nothing was ever put into it. */
  readonly boxes: readonly SqlRow[];
  /** How much of its mail is live. */
  readonly live: number;
  readonly hasAsks: boolean;
  readonly hasInterrupts: boolean;
}

export function loadHead(connection: Connection, agentId: AgentId): MailboxHead {
  const row = connection.get(selectHead(agentId)) ?? {};
  const columns = new Columns("mailboxes", row);
  return {
    name: columns.get("name", name),
    boxes: boxesIn([row]),
    live: (columns.get("pending", count) ?? 0) + (columns.get("in_flight", count) ?? 0),
    hasAsks: columns.get("has_asks", bit),
    hasInterrupts: columns.get("has_interrupts", bit),
  };
}

function selectHead(agentId: AgentId): Statement {
  const { sql, params } = presentName(agentId);
  return { sql: headText(sql), params };
}

const headText = madeOnce(
  (owner) => `SELECT n.name, ${MAILBOX_COLUMNS},
        EXISTS (SELECT 1 FROM asks q WHERE q.state = 'waiting' AND q.asker = n.name) AS has_asks,
        EXISTS (SELECT 1 FROM deliveries d
          WHERE d.recipient = n.name AND d.interrupt = 1 AND d.${IS_LIVE}) AS has_interrupts
      FROM (${owner}) n LEFT JOIN mailboxes b ON b.agent_id = n.name`,
);

export interface PostHeads {
  readonly sender: AgentId;
  readonly to: AgentId | "room";
  readonly boxes: readonly SqlRow[];
  readonly freeSeqs: readonly number[];
}

export function loadPostHeads(connection: Connection, roomId: RoomId, request: PostRequest): PostHeads {
  const rows = connection.all(selectPostHeads(roomId, request));
  const [sender, ...others] = rows.map((row) => new Columns("mailboxes", row).get("name", name));
  const from = whole(rows[0]?.["last_seq"], "deliveries.delivery_seq") + 1;
  return {
    sender: sender as AgentId,
    to: request.to === "room" ? "room" : (others[0] as AgentId),
    boxes: boxesIn(rows),
    freeSeqs: others.map((_, index) => from + index),
  };
}

/** The sender first. Pruning keeps the delivery with the highest number, so that one was given last. */
function selectPostHeads(roomId: RoomId, { sender, to, outside = [] }: PostRequest): Statement {
  const own = presentName(sender);
  const members = { sql: "SELECT 1, m.agent_id FROM members m WHERE m.room_id = ?", params: [roomId] };
  const others = to === "room" ? [members, ...outside.map(named)] : [named(to)];
  return {
    sql: `SELECT n.name, ${MAILBOX_COLUMNS}, (SELECT COALESCE(max(delivery_seq), 0) FROM deliveries) AS last_seq
      FROM (SELECT 0 AS place, (${own.sql}) AS name UNION ALL ${others.map(({ sql }) => sql).join(" UNION ALL ")}) n
      LEFT JOIN mailboxes b ON b.agent_id = n.name ORDER BY n.place`,
    params: [...own.params, ...others.flatMap(({ params }) => params)],
  };
}

function named(agentId: AgentId): Statement {
  const { sql, params } = presentName(agentId);
  return { sql: `SELECT 1, (${sql})`, params };
}

function boxesIn(rows: readonly SqlRow[]): readonly SqlRow[] {
  return rows.filter((row) => row["agent_id"] !== null);
}
