/** Puts together what a send and a mailbox's owner look at, from the rows of the selects in mail-load.ts. */
import type { AgentId } from "../../core/ids.ts";
import { emptyMailbox } from "../../mail/rules/mailbox.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { MailboxWindow } from "../../mail/rules/take.ts";
import { idOf, whole } from "./decode.ts";
import { readAsk, readCited, readDelivery, readMailboxRow, readSent } from "./mail-rows.ts";
import { Columns } from "./read-rows.ts";
import type { SqlRow } from "./statement.ts";

export interface PostRows {
  readonly sender: AgentId;
  readonly to: AgentId | "room";
  readonly boxes: readonly SqlRow[];
  readonly sent: readonly SqlRow[];
  readonly messages: readonly SqlRow[];
  readonly recipients: readonly SqlRow[];
  readonly asks: readonly SqlRow[];
  readonly freeSeqs: readonly number[];
}

export function readPost(rows: PostRows): Post {
  const boxes = rows.boxes.map(readMailboxRow);
  const cited = readCited(rows.messages, rows.recipients);
  return {
    sender: rows.sender,
    to: rows.to,
    boxes: new Map(boxes.map((box) => [box.agentId, box])),
    sentBefore: rows.sent[0] ? readSent(rows.sent[0]) : null,
    cited: new Map(cited.map((known) => [known.message.eventId, known])),
    asks: rows.asks.map(readAsk),
    freeSeqs: rows.freeSeqs,
  };
}

export interface WindowRows {
  readonly boxes: readonly SqlRow[];
  readonly deliveries: readonly SqlRow[];
  readonly interrupters: readonly SqlRow[];
  readonly asks: readonly SqlRow[];
}

/** `owner` counts only for a mailbox that nothing was ever put into. */
export function readWindow(owner: AgentId, rows: WindowRows): MailboxWindow {
  const [box] = rows.boxes.map(readMailboxRow);
  return {
    box: box ?? emptyMailbox(owner),
    deliveries: rows.deliveries.map(readDelivery),
    interrupters: new Map(
      rows.interrupters.map((row) => {
        const columns = new Columns("deliveries", row);
        return [columns.get("from_agent_id", idOf<AgentId>()), columns.get("newest", whole)];
      }),
    ),
    asks: rows.asks.map(readAsk),
  };
}

export function readName(rows: readonly SqlRow[]): AgentId {
  return new Columns("aliases", rows[0] ?? {}).get("name", idOf<AgentId>());
}
