/** Mailboxes on SQLite. Every function here runs inside a transaction of the store's. */
import type { AgentId, EventId, RoomId } from "../../domain/ids.ts";
import type { Delivery } from "../../domain/mail/delivery.ts";
import type { CitedMessage } from "../../domain/mail/message.ts";
import type { Post } from "../../domain/mail/send.ts";
import type { MailboxWindow, MailDecision } from "../../domain/mail/take.ts";
import type { MailWindow, PostRequest } from "../../ports/mail-store.ts";
import { whole } from "../sql/decode.ts";
import {
  namesAround,
  presentName,
  selectDeliveriesOf,
  selectInterrupters,
  selectMailboxes,
  selectMessages,
  selectRecipients,
  selectSent,
  selectWaitingAsks,
  selectWindow,
} from "../sql/mail-load.ts";
import { readCited, readDelivery } from "../sql/mail-rows.ts";
import { saveMail } from "../sql/mail-save.ts";
import { readName, readPost, readWindow } from "../sql/read-post.ts";
import type { Connection } from "./connection.ts";

export function loadPost(connection: Connection, roomId: RoomId, request: PostRequest): Post {
  const { sender, to, msgId, cites } = request;
  const names = namesAround(roomId, request);
  const from = nextSeq(connection);
  const count = to === "room" ? connection.all(names).length : 1;
  return readPost({
    sender: nameOf(connection, sender),
    to: to === "room" ? to : nameOf(connection, to),
    boxes: connection.all(selectMailboxes(names)),
    sent: msgId === null ? [] : connection.all(selectSent(presentName(sender), msgId)),
    messages: cites.length === 0 ? [] : connection.all(selectMessages(cites)),
    recipients: cites.length === 0 ? [] : connection.all(selectRecipients(cites)),
    asks: request.asks ? connection.all(selectWaitingAsks(null)) : [],
    freeSeqs: Array.from({ length: count }, (_, index) => from + index),
  });
}

export function loadWindow(connection: Connection, agentId: AgentId, look: MailWindow): MailboxWindow {
  const name = nameOf(connection, agentId);
  const owner = { sql: "SELECT ? AS name", params: [name] };
  return readWindow(name, {
    boxes: connection.all(selectMailboxes(owner)),
    deliveries: connection.all(selectWindow(owner, look)),
    interrupters: look.kind === "lanes" ? connection.all(selectInterrupters(owner)) : [],
    asks: connection.all(selectWaitingAsks(owner)),
  });
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

export function loadMessages(connection: Connection, ids: readonly EventId[]): readonly CitedMessage[] {
  return readCited(connection.all(selectMessages(ids)), connection.all(selectRecipients(ids)));
}

export function loadDeliveries(connection: Connection, messageId: EventId): readonly Delivery[] {
  return connection.all(selectDeliveriesOf(messageId)).map(readDelivery);
}

function nameOf(connection: Connection, agentId: AgentId): AgentId {
  return readName(connection.all(presentName(agentId)));
}
