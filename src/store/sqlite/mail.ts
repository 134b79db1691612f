/** Mailboxes on SQLite. Every function here runs inside a transaction of the store's. */

import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { Delivery } from "../../core/mail-records.ts";
import type { MailWindow, PostRequest } from "../../engine/ports/mail-store.ts";
import type { Message } from "../../mail/rules/message.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { MailboxWindow, MailDecision } from "../../mail/rules/take.ts";
import { whole } from "../sql/decode.ts";
import {
  type Names,
  presentName,
  selectAsksIn,
  selectDeliveriesOf,
  selectInterrupters,
  selectLive,
  selectMessages,
  selectRecipients,
  selectSent,
  selectWaitingAsks,
  selectWindow,
} from "../sql/mail-load.ts";
import { readDelivery, readMessage } from "../sql/mail-rows.ts";
import { saveMail } from "../sql/mail-save.ts";
import { readPost, readWindow } from "../sql/read-post.ts";
import type { Statement } from "../sql/statement.ts";
import type { Connection } from "./connection.ts";
import { loadHead, loadPostHeads, type MailboxHead } from "./mail-heads.ts";

export function loadPost(connection: Connection, roomId: RoomId, request: PostRequest): Post {
  const { sender, msgId, cites } = request;
  return readPost({
    ...loadPostHeads(connection, roomId, request),
    sent: msgId === null ? [] : connection.all(selectSent(presentName(sender), msgId)),
    messages: cites.length === 0 ? [] : connection.all(selectMessages(cites)),
    recipients: cites.length === 0 ? [] : connection.all(selectRecipients(cites)),
    asks: request.asks ? connection.all(selectWaitingAsks(null)) : [],
  });
}

export function loadWindow(connection: Connection, agentId: AgentId, look: MailWindow): MailboxWindow {
  const head = loadHead(connection, agentId);
  const owner = { sql: "SELECT ? AS name", params: [head.name] };
  const window = readWindow(head.name, {
    boxes: head.boxes,
    deliveries: isEmpty(look, head) ? [] : connection.all(selectDeliveries(owner, look, head)),
    interrupters: head.hasInterrupts && look.kind === "lanes" ? connection.all(selectInterrupters(owner)) : [],
    asks: head.hasAsks || look.kind === "ask" ? connection.all(selectAsksIn(owner, look)) : [],
  });
  return { ...window, deliveries: window.deliveries.toSorted((a, b) => a.seq - b.seq) };
}

/** Whether it is known by now that nothing will be found. */
function isEmpty(look: MailWindow, { live }: MailboxHead): boolean {
  if (look.kind === "messages") return look.ids.length === 0;
  if (look.kind === "numbers") return look.seqs.length === 0;
  return (look.kind === "lanes" || look.kind === "live") && live === 0;
}

/** No lane is longer than what is wanted of each when all of them together are not. */
function selectDeliveries(owner: Names, look: MailWindow, { name, live }: MailboxHead): Statement {
  const isAll = look.kind === "lanes" && look.from === null && live <= look.perSender;
  return isAll ? selectLive(name, look.withShown === true) : selectWindow(owner, look);
}

/** Pruning keeps the delivery with the highest number, so that one was given last. */
export function nextSeq(connection: Connection): number {
  return (
    whole(connection.value("SELECT COALESCE(max(delivery_seq), 0) FROM deliveries"), "deliveries.delivery_seq") + 1
  );
}

/** True when something was written. */
export function saveWindow(connection: Connection, window: MailboxWindow, { mail }: MailDecision<unknown>): boolean {
  const boxes = new Map([[window.box.agentId, window.box]]);
  const statements = saveMail(mail, { boxes, deliveries: window.deliveries });
  for (const statement of statements) connection.run(statement);
  return statements.length > 0;
}

export function loadMessages(connection: Connection, ids: readonly EventId[]): readonly Message[] {
  return ids.length === 0 ? [] : connection.all(selectMessages(ids)).map(readMessage);
}

export function loadDeliveries(connection: Connection, messageId: EventId): readonly Delivery[] {
  return connection.all(selectDeliveriesOf(messageId)).map(readDelivery);
}
