/** Mailboxes on SQLite. Every function here runs inside a transaction of the store's. */
import type { AgentId, EventId, RoomId } from "../../domain/ids.ts";
import type { Delivery } from "../../domain/mail/delivery.ts";
import type { Message } from "../../domain/mail/message.ts";
import type { Post } from "../../domain/mail/send.ts";
import type { MailboxWindow, MailDecision } from "../../domain/mail/take.ts";
import type { MailWindow, PostRequest } from "../../ports/mail-store.ts";
import { whole } from "../sql/decode.ts";
import {
  presentName,
  selectDeliveriesOf,
  selectInterrupters,
  selectMessages,
  selectRecipients,
  selectSent,
  selectWaitingAsks,
  selectWindow,
} from "../sql/mail-load.ts";
import { readDelivery, readMessage } from "../sql/mail-rows.ts";
import { saveMail } from "../sql/mail-save.ts";
import { readPost, readWindow } from "../sql/read-post.ts";
import type { Connection } from "./connection.ts";
import { loadHead, loadPostHeads } from "./mail-heads.ts";

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
  const { name, boxes, hasAsks, hasInterrupts } = loadHead(connection, agentId);
  const owner = { sql: "SELECT ? AS name", params: [name] };
  return readWindow(name, {
    boxes,
    deliveries: isHeadOnly(look) ? [] : connection.all(selectWindow(owner, look)),
    interrupters: hasInterrupts && look.kind === "lanes" ? connection.all(selectInterrupters(owner)) : [],
    asks: hasAsks ? connection.all(selectWaitingAsks(owner)) : [],
  });
}

function isHeadOnly(look: MailWindow): boolean {
  return look.kind === "messages" && look.ids.length === 0;
}

/** Deliveries are never deleted, so the highest number was given last. */
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
  return connection.all(selectMessages(ids)).map(readMessage);
}

export function loadDeliveries(connection: Connection, messageId: EventId): readonly Delivery[] {
  return connection.all(selectDeliveriesOf(messageId)).map(readDelivery);
}
