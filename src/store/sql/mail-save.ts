/** The statements that make a change of mailboxes durable. */

import type { AgentId } from "../../core/ids.ts";
import { DELIVERY_STATES, type Delivery, type MailChange, type StoredMailbox } from "../../core/mail-records.ts";
import { isLive } from "../../mail/rules/delivery.ts";
import type { MailboxWindow } from "../../mail/rules/take.ts";
import { join, raw, type Statement, sql } from "./statement.ts";
import { asks, deliveries, mailboxes, sent, updateCounts, updateDelivery } from "./tables.ts";

interface LoadedMail {
  readonly boxes: ReadonlyMap<AgentId, StoredMailbox>;
  readonly deliveries: readonly Delivery[];
}

/** What a change of one mailbox has loaded. */
export function loadedMail(window: MailboxWindow): LoadedMail {
  const boxes = new Map([[window.box.agentId, window.box]]);
  return { boxes, deliveries: [...window.deliveries, ...window.interrupts] };
}

/** `before` are the mailboxes and deliveries as they were loaded; what is the same object is not written. */
export function saveMail(change: MailChange, before: LoadedMail): readonly Statement[] {
  const changed = [...change.boxes.values()].filter((box) => before.boxes.get(box.agentId) !== box);
  const known = new Set(before.deliveries.map(({ seq }) => seq));
  return [
    ...changed.map((box) => saveBox(before.boxes.get(box.agentId), box)),
    ...[...change.deliveries.values()].map((delivery) =>
      known.has(delivery.seq) ? updateDelivery(delivery, [delivery.seq]) : deliveries.insert(delivery),
    ),
    ...[...change.asks.values()].map((ask) => asks.upsert(ask)),
    ...(change.sent ? [sent.insert(change.sent)] : []),
  ];
}

/** Mostly only the counts differ. A mailbox without mail may have no row, though it was loaded. */
function saveBox(before: StoredMailbox | undefined, box: StoredMailbox): Statement {
  const hasRow = before !== undefined && Object.values(before.counts).some((count) => count > 0);
  const isCountsOnly = hasRow && isSameBut(["counts", "shown"], before, box);
  return isCountsOnly ? updateCounts(box, [box.agentId]) : mailboxes.upsert(box);
}

/** Whether two values differ at most in the fields named. Values are immutable, so the same object is the same value. */
export function isSameBut<T extends object>(fields: readonly (keyof T)[], a: T, b: T): boolean {
  const keys = Object.keys(b) as (keyof T)[];
  return Object.keys(a).length === keys.length && keys.every((key) => a[key] === b[key] || fields.includes(key));
}

/**
 * Whether the disk must have the change before it is answered. A message that was only taken is delivered again after a
 * power failure, which is allowed; a delivery that has ended must stay so. An ask needs no disk: its time belongs to this
 * boot and its call dies with the power, so an ask that seems to wait still does not, and its reply is delivered again
 * like any message. An ask begins with an event, and the disk has that.
 */
export function mailMustReachDisk(change: MailChange): boolean {
  return change.sent !== null || [...change.deliveries.values()].some((delivery) => !isLive(delivery));
}

/**
 * One session's mail under two names becomes one mailbox. Its deliveries keep their numbers, and with them their
 * order. Each statement sees the effect of those before it.
 */
export function mergeMail(old: AgentId, agentId: AgentId): readonly Statement[] {
  /** The column in the old mailbox. */
  const former = (column: string) => sql`(SELECT o.${raw(column)} FROM mailboxes o WHERE o.agent_id = ${old})`;
  /** The column of the mailbox that has the greater number. */
  const ofGreater = (seq: string, column: string) =>
    sql`${raw(column)} = CASE WHEN ${former(seq)} > ${raw(seq)} THEN ${former(column)} ELSE ${raw(column)} END`;
  /** Two lists of JSON as one, by means that both databases have. */
  const receivers = sql`receivers = CASE WHEN receivers = '[]' THEN ${former("receivers")}
      WHEN ${former("receivers")} = '[]' THEN receivers
      ELSE substr(receivers, 1, length(receivers) - 1) || ',' || substr(${former("receivers")}, 2) END`;
  const changes = [
    ...[...DELIVERY_STATES, "shown"].map((count) => sql`${raw(count)} = ${raw(count)} + ${former(count)}`),
    ...["announced_seq", "wake_wanted_seq", "woken_seq"].map((seq) => ofGreater(seq, seq)),
    ...["wake_outcome", "wake_claim"].map((column) => ofGreater("woken_seq", column)),
    receivers,
  ];
  const steps = [
    ...lockedMailboxes(old, agentId),
    sql`UPDATE mailboxes SET ${join(changes, ", ")} WHERE agent_id = ${agentId}`,
    sql`DELETE FROM mailboxes WHERE agent_id = ${old}`,
    sql`UPDATE deliveries SET recipient = ${agentId} WHERE recipient = ${old}`,
    sql`UPDATE deliveries SET from_agent_id = ${agentId} WHERE from_agent_id = ${old}`,
    sql`UPDATE asks SET asker = ${agentId} WHERE asker = ${old}`,
    sql`UPDATE asks SET peer = ${agentId} WHERE peer = ${old}`,
    sql`UPDATE sent SET sender = ${agentId} WHERE sender = ${old}
        AND NOT EXISTS (SELECT 1 FROM sent o WHERE o.sender = ${agentId} AND o.msg_id = sent.msg_id)`,
  ];
  return steps.map((step) => ({ ...step, inOrder: true }));
}

/**
 * Both mailboxes, and those with mail from the old name. The statements wait for changes of these mailboxes that are
 * under way, so that the counts are final. First the missing rows are created, then all are locked in the order of
 * their names. A send does the same, and two transactions that take the same locks in one order never block each other.
 */
function lockedMailboxes(old: AgentId, agentId: AgentId): readonly Statement[] {
  const insert = sql`INSERT INTO mailboxes (agent_id) SELECT n.name FROM (SELECT ${old} AS name UNION SELECT ${agentId}
      UNION SELECT d.recipient FROM deliveries d WHERE d.from_agent_id = ${old}) n
      WHERE true ORDER BY n.name ON CONFLICT (agent_id)`;
  return [sql`${insert} DO NOTHING`, sql`${insert} DO UPDATE SET announced_seq = mailboxes.announced_seq`];
}
