/** What the stores read of mailboxes, in the dialect both databases share. */
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { MailWindow, PostRequest } from "../../engine/ports/mail-store.ts";
import { emptyMailbox } from "../../mail/rules/mailbox.ts";
import type { CitedMessage, MessageSent } from "../../mail/rules/message.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { MailboxWindow } from "../../mail/rules/take.ts";
import { join, limit, list, raw, rowsBy, type SqlRow, type Statement, sql } from "./statement.ts";
import { agentId as agentIdCodec, asks, deliveries, events, mailboxes, readEvent, sent } from "./tables.ts";

/** Word for word the conditions of the partial indexes: the databases use them only then. */
export const IS_LIVE = sql`state IN ('pending', 'in_flight')`;
const IS_ASIDE = sql`state IN ('in_flight', 'dead_letter')`;

/** A query for one column `name`, for use inside others. */
export type Names = Statement;

/** The name that an agent has now. */
export function presentName(agentId: AgentId): Names {
  return sql`SELECT COALESCE((SELECT a.agent_id FROM aliases a WHERE a.old_agent_id = ${agentId}), ${agentId}) AS name`;
}

export function readName(rows: readonly SqlRow[]): AgentId {
  return agentIdCodec(rows[0]?.["name"], "aliases.name");
}

/** The owners of the mailboxes that a send may touch: its sender and its recipients. */
export function namesAround(roomId: RoomId, { sender, to, outside = [] }: PostRequest): Names {
  const members = sql`SELECT m.agent_id AS name FROM members m WHERE m.room_id = ${roomId}`;
  const others = to === "room" ? [members, ...outside.map(presentName)] : [presentName(to)];
  return join([presentName(sender), ...others], " UNION ");
}

export function selectMailboxes(names: Names): Statement {
  return sql`SELECT ${mailboxes.columns()} FROM mailboxes WHERE agent_id IN (${names}) ORDER BY agent_id`;
}

export function selectSent(sender: Names, msgId: string): Statement {
  return sql`SELECT ${sent.columns()} FROM sent WHERE sender IN (${sender}) AND msg_id = ${msgId}`;
}

/** In the order of the index of waiting asks. In the order of their ids, all asks that ever were would be searched. */
export function selectWaitingAsks(asker: Names | null): Statement {
  const whose = asker === null ? sql`` : sql`AND asker IN (${asker})`;
  return sql`SELECT ${asks.columns()} FROM asks WHERE state = 'waiting' ${whose} ORDER BY asker, request_id`;
}

/** The newest first. A question that expired unread is left out. */
export function selectUnansweredAsks(peer: Names, rows: number): Statement {
  const delivered = sql`SELECT max(d.delivery_seq) FROM deliveries d
      WHERE d.message_id = asks.request_id AND d.recipient = asks.peer AND d.state <> 'expired'`;
  const isWrittenSince = sql`q.state <> 'waiting' AND d.reply_to IS NULL AND d.delivery_seq > q.delivered`;
  const answer = sql`SELECT 1 FROM deliveries d WHERE d.recipient = q.asker AND d.from_agent_id = q.peer
      AND (d.reply_to = q.request_id OR (${isWrittenSince}))`;
  return sql`SELECT * FROM (SELECT ${asks.columns()}, (${delivered}) AS delivered FROM asks
      WHERE peer = (${peer}) AND state <> 'answered') q
      WHERE delivered IS NOT NULL AND NOT EXISTS (${answer}) ORDER BY delivered DESC ${limit(rows)}`;
}

/** The asks that belong to a window. */
export function selectAsksIn(owner: Names, look: MailWindow): Statement {
  if (look.kind !== "ask") return selectWaitingAsks(owner);
  return sql`SELECT ${asks.columns()} FROM asks WHERE request_id = ${look.requestId} AND asker IN (${owner})`;
}

export function selectMessages(ids: readonly EventId[]): Statement {
  return sql`SELECT ${events.columns()} FROM events WHERE event_type = 'message_sent' AND event_id IN (${list(ids)})`;
}

export function readMessage(row: SqlRow): MessageSent {
  return readEvent(row) as MessageSent;
}

export function selectRecipients(ids: readonly EventId[]): Statement {
  return sql`SELECT DISTINCT d.message_id, d.recipient FROM deliveries d WHERE d.message_id IN (${list(ids)})
      ORDER BY d.message_id, d.recipient`;
}

/** The newest live interrupt of each sender. */
export function selectInterrupts(owner: Names): Statement {
  return deliveriesWhere(sql`d.delivery_seq IN (SELECT max(delivery_seq) FROM deliveries
      WHERE recipient = (${owner}) AND interrupt = 1 AND ${IS_LIVE} GROUP BY from_agent_id)`);
}

export function selectWindow(owner: Names, look: MailWindow): Statement {
  const isOwn = sql`d.recipient = (${owner})`;
  // SQLite would rather search all that the recipient ever got, so the name is hidden from its planner.
  const isOwnUnplanned = sql`d.recipient || '' = (${owner})`;
  switch (look.kind) {
    case "lanes":
      return lanesIn(owner, look);
    case "messages":
      return deliveriesWhere(sql`d.message_id IN (${list(look.ids)}) AND ${isOwnUnplanned}`);
    case "numbers":
      return deliveriesWhere(sql`d.delivery_seq IN (${list(look.seqs)}) AND ${isOwnUnplanned}`);
    case "replies":
      return deliveriesWhere(sql`${isOwn} AND d.${IS_LIVE} AND d.reply_to = ${look.to}`);
    case "ask":
      return deliveriesWhere(sql`${isOwn} AND d.reply_to = ${look.requestId}`);
    case "msg_id":
      return deliveriesWhere(sql`${isOwn} AND d.msg_id = ${look.msgId}`);
    case "live":
      // The oldest of all are among the oldest of each sender. An index over all would lead through what has ended.
      return sql`${lanes(owner, sql`delivery_seq > ${look.after ?? 0}`, look.limit)} ORDER BY d.delivery_seq ${limit(look.limit)}`;
    case "dead_letters":
      return deadLetters(owner, look.after ?? 0, look.limit);
    case "after":
      return sql`${deliveriesWhere(sql`${isOwn} AND d.delivery_seq > ${look.seq}`)} ${limit(look.limit)}`;
  }
}

export function deliveriesWhere(condition: Statement): Statement {
  return sql`SELECT ${deliveries.columns("d")} FROM deliveries d WHERE ${condition} ORDER BY d.delivery_seq`;
}

function lanesIn(owner: Names, { from, perSender, withShown }: MailWindow & { readonly kind: "lanes" }): Statement {
  if (from !== null) {
    const lane = sql`d.recipient = (${owner}) AND d.${IS_LIVE} AND d.shown = 0 AND d.from_agent_id = ${from}`;
    return sql`${deliveriesWhere(lane)} ${limit(perSender)}`;
  }
  const unshown = lanes(owner, sql`shown = 0`, perSender);
  if (!withShown) return sql`${unshown} ORDER BY d.delivery_seq`;
  return sql`${unshown} UNION ALL SELECT ${deliveries.columns("d")} FROM deliveries d
      WHERE d.recipient = (${owner}) AND d.${IS_ASIDE} AND d.state = 'in_flight' AND d.purged = 0 AND d.shown = 1
      ORDER BY delivery_seq`;
}

/** The oldest live mail of each sender, sender by sender along the index: a long lane costs no more than a short one. */
function lanes(owner: Names, which: Statement, perSender: number): Statement {
  const isOwn = sql`recipient = (${owner}) AND ${IS_LIVE}`;
  return sql`WITH RECURSIVE senders(name) AS (
        SELECT (SELECT from_agent_id FROM deliveries WHERE ${isOwn} ORDER BY from_agent_id LIMIT 1)
        UNION ALL
        SELECT (SELECT from_agent_id FROM deliveries WHERE ${isOwn} AND from_agent_id > senders.name
          ORDER BY from_agent_id LIMIT 1)
        FROM senders WHERE senders.name IS NOT NULL
      )
      SELECT ${deliveries.columns("d")} FROM senders JOIN deliveries d ON d.delivery_seq IN (
        SELECT delivery_seq FROM deliveries
        WHERE ${isOwn} AND from_agent_id = senders.name AND ${which} ORDER BY delivery_seq ${limit(perSender)}
      )`;
}

/** All live mail, or what of it is not shown, sender by sender as the index has it. */
export function selectLive(owner: AgentId, withShown: boolean): Statement {
  return sql`SELECT ${deliveries.columns("d")} FROM deliveries d WHERE d.recipient = ${owner} AND d.${IS_LIVE}
      ${withShown ? sql`` : sql`AND d.shown = 0`} ORDER BY d.from_agent_id, d.delivery_seq`;
}

/** Two searches: the dead letters, and the mail in flight that time may have turned into dead letters. */
function deadLetters(owner: Names, after: number, rows: number): Statement {
  const oldest = (state: string) => sql`SELECT f.delivery_seq FROM (SELECT delivery_seq FROM deliveries
          WHERE recipient = (${owner}) AND ${IS_ASIDE} AND state = '${raw(state)}' AND purged = 0
          AND delivery_seq > ${after} ORDER BY delivery_seq ${limit(rows)}) AS f`;
  return sql`SELECT ${deliveries.columns("d")} FROM deliveries d WHERE d.delivery_seq IN (
        ${oldest("dead_letter")} UNION ALL ${oldest("in_flight")}
      ) ORDER BY d.delivery_seq ${limit(rows)}`;
}

type Rows<Name extends string> = { readonly [Key in Name]: readonly SqlRow[] };

type PostRows = Pick<Post, "sender" | "to" | "freeSeqs"> & Rows<"boxes" | "sent" | "messages" | "recipients" | "asks">;

export function readPost(rows: PostRows): Post {
  const boxes = rows.boxes.map(mailboxes.read);
  const cited = readCited(rows.messages, rows.recipients);
  return {
    sender: rows.sender,
    to: rows.to,
    boxes: new Map(boxes.map((box) => [box.agentId, box])),
    sentBefore: rows.sent[0] ? sent.read(rows.sent[0]) : null,
    cited: new Map(cited.map((known) => [known.message.eventId, known])),
    asks: rows.asks.map(asks.read),
    freeSeqs: rows.freeSeqs,
  };
}

/** Messages with their recipients. */
function readCited(messages: readonly SqlRow[], recipients: readonly SqlRow[]): readonly CitedMessage[] {
  const byMessage = rowsBy("message_id", recipients);
  return messages.map(readMessage).map((message) => {
    const rows = byMessage.get(message.eventId) ?? [];
    return { message, recipients: rows.map((row) => agentIdCodec(row["recipient"], "deliveries.recipient")) };
  });
}

type WindowRows = Rows<"boxes" | "deliveries" | "interrupts" | "asks">;

/** `owner` counts only for a mailbox that never got mail. */
export function readWindow(owner: AgentId, rows: WindowRows): MailboxWindow {
  const [box] = rows.boxes.map(mailboxes.read);
  return {
    box: box ?? emptyMailbox(owner),
    deliveries: rows.deliveries.map(deliveries.read),
    interrupts: rows.interrupts.map(deliveries.read),
    asks: rows.asks.map(asks.read),
  };
}
