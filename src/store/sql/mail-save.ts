/** The statements that make a change of mailboxes durable. */

import type { AgentId } from "../../core/ids.ts";
import { DELIVERY_STATES, type Delivery, type Mailbox, type MailChange } from "../../core/mail-records.ts";
import { isSameBut } from "./is-same-but.ts";
import { askRow, deliveryRow, deliveryStateRow, mailboxRow, sentRow } from "./mail-rows.ts";
import { deleteFrom, insertInto, type Statement, update, updateAll, upsertInto } from "./statement.ts";

/** `before` are the mailboxes and deliveries as they were loaded; what is the same object is not written. */
export function saveMail(
  { boxes, deliveries, asks, sent }: MailChange,
  before: { readonly boxes: ReadonlyMap<AgentId, Mailbox>; readonly deliveries: readonly Delivery[] },
): readonly Statement[] {
  const changed = [...boxes.values()].filter((box) => before.boxes.get(box.agentId) !== box);
  const known = new Set(before.deliveries.map(({ seq }) => seq));
  return [
    ...changed.map((box) => saveBox(before.boxes.get(box.agentId), box)),
    ...[...deliveries.values()].map((delivery) =>
      known.has(delivery.seq)
        ? update("deliveries", deliveryStateRow(delivery), { delivery_seq: delivery.seq })
        : insertInto("deliveries", deliveryRow(delivery)),
    ),
    ...[...asks.values()].map((ask) => upsertInto("asks", ["request_id"], askRow(ask))),
    ...(sent ? [insertInto("sent", sentRow(sent))] : []),
  ];
}

/** Mostly only the counts differ. A mailbox that was never written to may not be there, though it was loaded. */
function saveBox(before: Mailbox | undefined, box: Mailbox): Statement {
  const isThere = before !== undefined && sum(Object.values(before.counts)) > 0;
  if (isThere && isSameBut(["counts", "shown"], before, box)) {
    return update("mailboxes", { ...box.counts, shown: box.shown }, { agent_id: box.agentId });
  }
  return upsertInto("mailboxes", ["agent_id"], mailboxRow(box));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * One session's mail under two names becomes one mailbox. Its deliveries keep their numbers, and with them their
 * order. Each statement sees what the one before has done.
 */
export function mergeMail(old: AgentId, agentId: AgentId): readonly Statement[] {
  const changes = [
    ...[...DELIVERY_STATES, "shown"].map((count) => `${count} = ${count} + ${formerly(count)}`),
    ...["announced_seq", "wake_wanted_seq", "woken_seq"].map((seq) => `${seq} = ${ofGreater(seq, seq)}`),
    ...["wake_outcome", "wake_claim"].map((column) => `${column} = ${ofGreater("woken_seq", column)}`),
    `receivers = ${bothReceivers(formerly("receivers"))}`,
  ].join(", ");
  const steps: readonly Statement[] = [
    ...lockedMailboxes(old, agentId),
    {
      sql: `UPDATE mailboxes SET ${changes} WHERE agent_id = ?`,
      params: [...Array.from(changes.matchAll(/\?/g), () => old), agentId],
    },
    deleteFrom("mailboxes", { agent_id: old }),
    updateAll("deliveries", { recipient: agentId }, { recipient: old }),
    updateAll("deliveries", { from_agent_id: agentId }, { from_agent_id: old }),
    updateAll("asks", { asker: agentId }, { asker: old }),
    updateAll("asks", { peer: agentId }, { peer: old }),
    {
      sql: `UPDATE sent SET sender = ? WHERE sender = ?
        AND NOT EXISTS (SELECT 1 FROM sent o WHERE o.sender = ? AND o.msg_id = sent.msg_id)`,
      params: [agentId, old, agentId],
    },
  ];
  return steps.map((step) => ({ ...step, inOrder: true as const }));
}

/** What stands in the old mailbox, whose name is the parameter. */
function formerly(column: string): string {
  return `(SELECT o.${column} FROM mailboxes o WHERE o.agent_id = ?)`;
}

/** A column of that one of both mailboxes which has the greater number. */
function ofGreater(seq: string, column: string): string {
  return `CASE WHEN ${formerly(seq)} > ${seq} THEN ${formerly(column)} ELSE ${column} END`;
}

/** Two lists of JSON as one, by means that both databases have. */
function bothReceivers(former: string): string {
  return `CASE WHEN receivers = '[]' THEN ${former} WHEN ${former} = '[]' THEN receivers
    ELSE substr(receivers, 1, length(receivers) - 1) || ',' || substr(${former}, 2) END`;
}

/**
 * Both mailboxes, and those with mail of the old name: whoever is changing one of them is waited for, so that the counts
 * are the last ones. First those that are missing are made, then all are locked, in the order of their names: so does a
 * send, and two that take the same locks in one order never wait for each other.
 */
function lockedMailboxes(old: AgentId, agentId: AgentId): readonly Statement[] {
  const insert = `INSERT INTO mailboxes (agent_id)
    SELECT n.name FROM (SELECT ? AS name UNION SELECT ? UNION SELECT d.recipient FROM deliveries d WHERE d.from_agent_id = ?) n
    WHERE true ORDER BY n.name ON CONFLICT (agent_id)`;
  const params = [old, agentId, old];
  return [
    { sql: `${insert} DO NOTHING`, params },
    { sql: `${insert} DO UPDATE SET announced_seq = mailboxes.announced_seq`, params },
  ];
}
