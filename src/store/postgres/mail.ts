/** Mailboxes on PostgreSQL. A change locks the rows of the mailboxes it may touch, after its room and in one order. */

import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { Ask, Delivery, Receiver } from "../../core/mail-records.ts";
import type { Moment } from "../../core/time.ts";
import type {
  LoadedMailbox,
  MailChanged,
  MailOptions,
  MailWindow,
  PostRequest,
} from "../../engine/ports/mail-store.ts";
import { takenIn } from "../../mail/rules/mail-change.ts";
import type { Message } from "../../mail/rules/message.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { MailboxWindow, MailDecision } from "../../mail/rules/take.ts";
import { whole } from "../sql/decode.ts";
import {
  type Names,
  namesAround,
  presentName,
  selectAsks,
  selectAsksIn,
  selectDeliveriesOf,
  selectInterrupters,
  selectMailboxes,
  selectMessages,
  selectReceivers,
  selectRecipients,
  selectSent,
  selectWaitingAsks,
  selectWindow,
} from "../sql/mail-load.ts";
import { mailMustReachDisk } from "../sql/mail-must-reach-disk.ts";
import { readAsk, readDelivery, readMessage, readReceivers as readReceiversRow } from "../sql/mail-rows.ts";
import { saveMail } from "../sql/mail-save.ts";
import { readName, readPost, readWindow } from "../sql/read-post.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import { COMMIT } from "./connection.ts";
import { momentOf, NOW } from "./moment.ts";
import type { Schema } from "./schema.ts";
import { readTogether, rowsOfEach, writeTogether } from "./together.ts";
import { Overtaken } from "./transaction.ts";

/** A message that was only taken comes again if the server loses it; a later commit that waits takes this one along. */
const WITHOUT_DISK: Statement = { sql: "SET LOCAL synchronous_commit TO off", params: [] };

/** What a send must know, to be asked once its room is locked, and how to read the answers. */
export interface PostLook {
  readonly statements: readonly Statement[];
  readonly read: (answers: readonly (readonly SqlRow[])[]) => Post;
}

export function lookForPost(roomId: RoomId, request: PostRequest): PostLook {
  const { sender, to, msgId, cites, asks } = request;
  const names = namesAround(roomId, request);
  const selects = [
    presentName(sender),
    presentName(to === "room" ? sender : to),
    msgId === null ? nothing("sent") : selectSent(presentName(sender), msgId),
    selectMessages(cites),
    selectRecipients(cites),
    asks ? selectWaitingAsks(null) : nothing("asks"),
    freeSeqs(names),
  ];
  return {
    statements: [...lock(names), readTogether(selects)],
    read: ([, boxes = [], read = []]) => {
      const [author = [], name = [], sent = [], messages = [], recipients = [], waiting = [], seqs = []] = rowsOfEach(
        read,
        selects.length,
      );
      return readPost({
        sender: readName(author),
        to: to === "room" ? to : readName(name),
        boxes,
        sent,
        messages,
        recipients,
        asks: waiting,
        freeSeqs: seqs.map(seqOf),
      });
    },
  };
}

export function changeMailbox<Answer>(
  schema: Schema,
  agentId: AgentId,
  look: MailWindow,
  decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
  { waitsForDisk = "all", withMessages = false }: MailOptions,
): Promise<MailChanged<Answer>> {
  return schema.change(async (session) => {
    const owner = presentName(agentId);
    const selects = [...windowSelects(owner, look), NOW, freeSeqs(owner)];
    const [, boxes = [], read = []] = await session.begin([...lock(owner), readTogether(selects)]);
    const answers = rowsOfEach(read, selects.length);
    // Merged into another one while it was waited for: its new name is found by the next attempt.
    if (boxes.length === 0) throw new Overtaken();
    const window = windowOf(boxes, answers);
    const [seq] = (answers[5] ?? []).map(seqOf);
    invariant(seq !== undefined, "there is always a free number");
    const decision = decide({ moment: momentOf(answers[4]), window, freeSeq: seq });
    const known = new Map([[window.box.agentId, window.box]]);
    const writes = saveMail(decision.mail, { boxes: known, deliveries: window.deliveries });
    if (writes.length === 0) {
      await session.rollback();
      return withMessages ? { ...decision, messages: [] } : decision;
    }
    // Messages never change, so they may as well be read after the commit: that costs no round trip of its own.
    const bodies = withMessages ? [selectMessages(takenIn(decision.mail))] : [];
    const hurried = waitsForDisk !== "nothing" && mailMustReachDisk(decision.mail);
    const unhurried = hurried ? [] : [WITHOUT_DISK];
    const sent = await session.send([...unhurried, ...writeTogether(writes), COMMIT, ...bodies]);
    return withMessages ? { ...decision, messages: (sent.at(-1) ?? []).map(readMessage) } : decision;
  });
}

export async function readMailbox(
  schema: Schema,
  agentId: AgentId,
  look: MailWindow,
): Promise<{ readonly moment: Moment; readonly window: MailboxWindow }> {
  const owner = presentName(agentId);
  const selects = [...windowSelects(owner, look), NOW, selectMailboxes(owner)];
  const answers = rowsOfEach(await schema.query(readTogether(selects)), selects.length);
  return { moment: momentOf(answers[4]), window: windowOf(answers[5] ?? [], answers) };
}

export async function readMessages(schema: Schema, ids: readonly EventId[]): Promise<readonly Message[]> {
  return (await schema.query(selectMessages(ids))).map(readMessage);
}

export async function readReceivers(schema: Schema, agents: readonly AgentId[]): Promise<readonly Receiver[]> {
  return (await schema.query(selectReceivers(agents))).flatMap(readReceiversRow);
}

export async function readWaitingAsks(schema: Schema): Promise<readonly Ask[]> {
  return (await schema.query(selectWaitingAsks(null))).map(readAsk);
}

export async function readAsks(schema: Schema, ids: readonly EventId[]): Promise<readonly Ask[]> {
  return (await schema.query(selectAsks(ids))).map(readAsk);
}

export async function readDeliveries(schema: Schema, messageId: EventId): Promise<readonly Delivery[]> {
  return (await schema.query(selectDeliveriesOf(messageId))).map(readDelivery);
}

function windowSelects(owner: Names, look: MailWindow): readonly Statement[] {
  return [
    owner,
    selectWindow(owner, look),
    look.kind === "lanes" ? selectInterrupters(owner) : nothing("deliveries"),
    selectAsksIn(owner, look),
  ];
}

function windowOf(boxes: readonly SqlRow[], answers: readonly (readonly SqlRow[])[]): MailboxWindow {
  const [name = [], deliveries = [], interrupters = [], asks = []] = answers;
  return readWindow(readName(name), { boxes, deliveries, interrupters, asks });
}

/** A mailbox that is not there cannot be locked, so it is made first. */
function lock(names: Names): readonly Statement[] {
  const boxes = selectMailboxes(names);
  return [
    {
      sql: `INSERT INTO mailboxes (agent_id) SELECT n.name FROM (${names.sql}) AS n ORDER BY n.name
        ON CONFLICT (agent_id) DO NOTHING`,
      params: names.params,
    },
    { ...boxes, sql: `${boxes.sql} FOR UPDATE` },
  ];
}

/** One for each name. Drawn while the mailboxes are locked, so that their order is the order of commits. */
function freeSeqs(names: Names): Statement {
  return { sql: `SELECT nextval('delivery_seq') AS seq FROM (${names.sql}) AS n`, params: names.params };
}

function seqOf(row: SqlRow): number {
  return whole(row["seq"], "delivery_seq");
}

function nothing(table: string): Statement {
  return { sql: `SELECT 1 FROM ${table} WHERE false`, params: [] };
}
