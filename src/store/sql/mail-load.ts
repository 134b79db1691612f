/** What the stores read of mailboxes, in the dialect both databases share. */
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { MailWindow, PostRequest } from "../../engine/ports/mail-store.ts";
import { EVENT_COLUMNS } from "./load.ts";
import { LIMITED, madeOnce, marks, type SqlValue, type Statement } from "./statement.ts";

export const MAILBOX_COLUMNS = `agent_id, pending, in_flight, acked, dead_letter, expired, shown, announced_seq, woken_seq,
  wake_wanted_seq, wake_outcome, wake_claim, receivers, allowance_left, allowance_epoch, allowance_ms`;

const DELIVERY_COLUMNS = `d.delivery_seq, d.recipient, d.message_id, d.msg_id, d.room_id, d.event_seq, d.from_agent_id,
  d.from_handle, d.from_harness, d.body_bytes, d.interrupt, d.reply_to, d.max_retries, d.base_backoff_ms,
  d.inflight_timeout_ms, d.expires_epoch, d.expires_ms, d.expires_at, d.state, d.due_epoch, d.due_ms, d.attempts,
  d.attempts_before, d.requeued_from, d.reason, d.ended_at, d.purged`;

const ASK_COLUMNS = "request_id, asker, peer, state, until_epoch, until_ms, caller, reply_id, after_seq";

/** As the partial indexes say it, word for word: only then are they used. */
export const IS_LIVE = "state IN ('pending', 'in_flight')";
const IS_ASIDE = "state IN ('in_flight', 'dead_letter')";

/** A query for one column `name`, to be used inside others. */
export type Names = Statement;

/** The name somebody has now. */
export function presentName(agentId: AgentId): Names {
  return {
    sql: "SELECT COALESCE((SELECT a.agent_id FROM aliases a WHERE a.old_agent_id = ?), ?) AS name",
    params: [agentId, agentId],
  };
}

/** Everybody whose mailbox a send may touch: its sender, and whoever it is for. */
export function namesAround(roomId: RoomId, { sender, to, outside = [] }: PostRequest): Names {
  const members = { sql: "SELECT m.agent_id AS name FROM members m WHERE m.room_id = ?", params: [roomId] };
  const others = to === "room" ? [members, ...outside.map(presentName)] : [presentName(to)];
  const all = [presentName(sender), ...others];
  return { sql: all.map(({ sql }) => sql).join(" UNION "), params: all.flatMap(({ params }) => params) };
}

export function selectMailboxes(names: Names): Statement {
  return {
    sql: `SELECT ${MAILBOX_COLUMNS} FROM mailboxes WHERE agent_id IN (${names.sql}) ORDER BY agent_id`,
    params: names.params,
  };
}

/** Only the mailboxes that have any. */
export function selectReceivers(agents: readonly AgentId[]): Statement {
  const names = marks(agents);
  return {
    sql: `SELECT receivers FROM mailboxes WHERE receivers <> '[]' AND (agent_id IN (${names})
      OR agent_id IN (SELECT a.agent_id FROM aliases a WHERE a.old_agent_id IN (${names}))) ORDER BY agent_id`,
    params: [...agents, ...agents],
  };
}

export function selectSent(sender: Names, msgId: string): Statement {
  return {
    sql: `SELECT sender, msg_id, digest, answer FROM sent WHERE sender IN (${sender.sql}) AND msg_id = ?`,
    params: [...sender.params, msgId],
  };
}

/** In the order of the index of those that wait: by their ids alone, all that ever were would be looked through. */
export function selectWaitingAsks(asker: Names | null): Statement {
  const whose = asker === null ? "" : ` AND asker IN (${asker.sql})`;
  return {
    sql: `SELECT ${ASK_COLUMNS} FROM asks WHERE state = 'waiting'${whose} ORDER BY asker, request_id`,
    params: asker?.params ?? [],
  };
}

/** The asks that belong to a window. */
export function selectAsksIn(owner: Names, look: MailWindow): Statement {
  if (look.kind !== "ask") return selectWaitingAsks(owner);
  return {
    sql: `SELECT ${ASK_COLUMNS} FROM asks WHERE request_id = ? AND asker IN (${owner.sql})`,
    params: [look.requestId, ...owner.params],
  };
}

export function selectAsks(ids: readonly EventId[]): Statement {
  return { sql: `SELECT ${ASK_COLUMNS} FROM asks WHERE request_id IN (${marks(ids)})`, params: ids };
}

export function selectMessages(ids: readonly EventId[]): Statement {
  return { sql: messagesText(marks(ids)), params: ids };
}

const messagesText = madeOnce(
  (ids) => `SELECT ${EVENT_COLUMNS} FROM events WHERE event_type = 'message_sent' AND event_id IN (${ids})`,
);

export function selectRecipients(ids: readonly EventId[]): Statement {
  return {
    sql: `SELECT DISTINCT d.message_id, d.recipient FROM deliveries d WHERE d.message_id IN (${marks(ids)})
      ORDER BY d.message_id, d.recipient`,
    params: ids,
  };
}

export function selectDeliveriesOf(messageId: EventId): Statement {
  return {
    sql: `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.message_id = ? ORDER BY d.delivery_seq`,
    params: [messageId],
  };
}

export function selectInterrupters(owner: Names): Statement {
  return {
    sql: `SELECT from_agent_id, max(delivery_seq) AS newest FROM deliveries
      WHERE recipient = (${owner.sql}) AND interrupt = 1 AND ${IS_LIVE} GROUP BY from_agent_id`,
    params: owner.params,
  };
}

export function selectWindow(owner: Names, look: MailWindow): Statement {
  switch (look.kind) {
    case "lanes":
      return lanesIn(owner, look);
    case "messages":
      return ofMessages(owner, look.ids);
    case "numbers":
      return ofNumbers(owner, look.seqs);
    case "replies":
      return windowWhere(owner, `d.${IS_LIVE} AND d.reply_to = ?`, [look.to]);
    case "ask":
      return windowWhere(owner, "d.reply_to = ?", [look.requestId]);
    case "msg_id":
      return windowWhere(owner, "d.msg_id = ?", [look.msgId]);
    case "live":
      return live(owner, look.after ?? 0, look.limit);
    case "dead_letters":
      return deadLetters(owner, look.after ?? 0, look.limit);
    case "after":
      return windowWhere(owner, "d.delivery_seq > ?", [look.seq], look.limit);
  }
}

function lanesIn(owner: Names, { from, perSender, withShown }: MailWindow & { readonly kind: "lanes" }): Statement {
  if (from !== null) return lane(owner, from, perSender);
  const { sql, params } = owner;
  const lanesParams = [...params, ...params, ...params, 0, perSender];
  if (!withShown) return { sql: `${unshownLanesText(sql)} ORDER BY d.delivery_seq`, params: lanesParams };
  return {
    sql: `${unshownLanesText(sql)} UNION ALL SELECT ${DELIVERY_COLUMNS} FROM deliveries d
      WHERE d.recipient = (${sql}) AND d.${IS_ASIDE} AND d.state = 'in_flight' AND d.purged = 0 AND d.shown = 1
      ORDER BY delivery_seq`,
    params: [...lanesParams, ...params],
  };
}

/** From sender to sender by the index, so that a long lane costs no more than a short one. */
const liveLanesText = madeOnce((owner) => lanesText(owner, ""));
const unshownLanesText = madeOnce((owner) => lanesText(owner, " AND shown = 0"));

function lanesText(owner: string, andWhich: string): string {
  const isTheirs = `recipient = (${owner}) AND ${IS_LIVE}`;
  return `WITH RECURSIVE senders(name) AS (
        SELECT (SELECT from_agent_id FROM deliveries WHERE ${isTheirs} ORDER BY from_agent_id LIMIT 1)
        UNION ALL
        SELECT (SELECT from_agent_id FROM deliveries WHERE ${isTheirs} AND from_agent_id > senders.name
          ORDER BY from_agent_id LIMIT 1)
        FROM senders WHERE senders.name IS NOT NULL
      )
      SELECT ${DELIVERY_COLUMNS} FROM senders JOIN deliveries d ON d.delivery_seq IN (
        SELECT delivery_seq FROM deliveries
        WHERE ${isTheirs}${andWhich} AND from_agent_id = senders.name AND delivery_seq > ?
        ORDER BY delivery_seq ${LIMITED}
      )`;
}

/** All live mail, or what of it is not shown, sender by sender as the index has it. */
export function selectLive(owner: AgentId, withShown: boolean): Statement {
  return { sql: withShown ? LIVE_TEXT : UNSHOWN_TEXT, params: [owner] };
}

const LIVE = `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.recipient = ? AND d.${IS_LIVE}`;
const LIVE_TEXT = `${LIVE} ORDER BY d.from_agent_id, d.delivery_seq`;
const UNSHOWN_TEXT = `${LIVE} AND d.shown = 0 ORDER BY d.from_agent_id, d.delivery_seq`;

/** The oldest of all are among the oldest of each sender; an index over all of them would lead through what has ended. */
function live(owner: Names, after: number, limit: number): Statement {
  const { sql, params } = owner;
  return {
    sql: `${liveLanesText(sql)} ORDER BY d.delivery_seq ${LIMITED}`,
    params: [...params, ...params, ...params, after, limit, limit],
  };
}

/** Found by the messages. SQLite would rather go through all that the recipient ever got, so that name is hidden from it. */
function ofMessages({ sql, params }: Names, ids: readonly EventId[]): Statement {
  return {
    sql: `SELECT ${DELIVERY_COLUMNS} FROM deliveries d
      WHERE d.message_id IN (${marks(ids)}) AND d.recipient || '' = (${sql}) ORDER BY d.delivery_seq`,
    params: [...ids, ...params],
  };
}

/** Found by their numbers; the recipient is hidden from SQLite here too. */
function ofNumbers({ sql, params }: Names, seqs: readonly number[]): Statement {
  return {
    sql: `SELECT ${DELIVERY_COLUMNS} FROM deliveries d
      WHERE d.delivery_seq IN (${marks(seqs)}) AND d.recipient || '' = (${sql}) ORDER BY d.delivery_seq`,
    params: [...seqs, ...params],
  };
}

function lane(owner: Names, from: AgentId, limit: number): Statement {
  return windowWhere(owner, `d.${IS_LIVE} AND d.shown = 0 AND d.from_agent_id = ?`, [from], limit);
}

/** Two searches: the dead letters, and what time may have made dead letters of. */
function deadLetters({ sql, params }: Names, after: number, limit: number): Statement {
  const oldest = (state: string) => `SELECT f.delivery_seq FROM (SELECT delivery_seq FROM deliveries
          WHERE recipient = (${sql}) AND ${IS_ASIDE} AND state = '${state}' AND purged = 0 AND delivery_seq > ?
          ORDER BY delivery_seq ${LIMITED}) AS f`;
  return {
    sql: `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.delivery_seq IN (
        ${oldest("dead_letter")} UNION ALL ${oldest("in_flight")}
      ) ORDER BY d.delivery_seq ${LIMITED}`,
    params: [...params, after, limit, ...params, after, limit, limit],
  };
}

function windowWhere(owner: Names, condition: string, params: readonly SqlValue[], limit?: number): Statement {
  return {
    sql: `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.recipient = (${owner.sql}) AND ${condition}
      ORDER BY d.delivery_seq${limit === undefined ? "" : ` ${LIMITED}`}`,
    params: [...owner.params, ...params, ...(limit === undefined ? [] : [limit])],
  };
}
