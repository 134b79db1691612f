/** The mailboxes of the store on one SQLite file; see engine/ports/mail-store.ts for the promises. */
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type {
  LoadedMailbox,
  MailChanged,
  MailOptions,
  MailStore,
  MailWindow,
  PostRequest,
} from "../../engine/ports/mail-store.ts";
import { takenIn } from "../../mail/rules/mail-change.ts";
import type { MessageSent } from "../../mail/rules/message.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { MailboxWindow, MailDecision } from "../../mail/rules/take.ts";
import { bit, nullable, whole } from "../sql/codec.ts";
import {
  IS_LIVE,
  type Names,
  presentName,
  readMessage,
  readName,
  readPost,
  readWindow,
  selectAsksIn,
  selectInterrupts,
  selectLive,
  selectMessages,
  selectRecipients,
  selectSent,
  selectWaitingAsks,
  selectWindow,
} from "../sql/mail-load.ts";
import { loadedMail, mailMustReachDisk, saveMail } from "../sql/mail-save.ts";
import { join, type SqlRow, type Statement, sql } from "../sql/statement.ts";
import { agentId as agentIdCodec, mailboxes } from "../sql/tables.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { SqliteConnection } from "./connection.ts";
import { type ChangeMark, KnownMail } from "./known.ts";
import type { SqliteSchema } from "./schema.ts";
import { onlyDone, readTransaction, UNDONE } from "./transaction.ts";

/** What rooms and mailboxes on one file share. */
export interface SqliteParts {
  readonly connection: SqliteConnection;
  readonly clock: Clock;
  readonly schema: SqliteSchema;
  readonly mark: ChangeMark;
  readonly checkpoints: Checkpoints;
}

type Decide<Answer> = (loaded: LoadedMailbox) => MailDecision<Answer>;

export function mailMethods({ connection, clock, schema, mark, checkpoints }: SqliteParts) {
  const known = new KnownMail();

  const change = <Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: Decide<Answer>,
    { waitsForDisk = "all", withMessages = false }: MailOptions,
  ): MailChanged<Answer> | typeof UNDONE => {
    connection.waitForDisk(waitsForDisk === "all");
    const made = schema.transaction(() => {
      const window = known.get(owner, look, mark.read()) ?? loadWindow(connection, owner, look);
      const decision = decide({
        moment: clock.now(),
        window,
        // Most changes create no delivery.
        get freeSeq() {
          return nextSeq(connection);
        },
      });
      if (waitsForDisk === "ends" && mailMustReachDisk(decision.mail)) return UNDONE;
      if (connection.runAll(saveMail(decision.mail, loadedMail(window)))) mark.changed();
      const messages = withMessages ? loadMessages(connection, takenIn(decision.mail)) : undefined;
      return { window, decision, messages };
    });
    if (made === UNDONE) return made;
    const { window, decision, messages } = made;
    known.set(owner, window, decision, mark.current);
    checkpoints.changed();
    return messages ? { ...decision, messages } : decision;
  };

  return {
    changeMailbox: (owner, look, decide, options = {}) =>
      schema.change(() => {
        const changed = change(owner, look, decide, options);
        return changed === UNDONE
          ? onlyDone(change(owner, look, decide, { ...options, waitsForDisk: "all" }))
          : changed;
      }),
    readMailbox: (owner, look) =>
      schema.read(() =>
        readTransaction(connection, () => ({ moment: clock.now(), window: loadWindow(connection, owner, look) })),
      ),
  } satisfies Partial<MailStore>;
}

function loadMessages(connection: SqliteConnection, ids: readonly EventId[]): readonly MessageSent[] {
  return ids.length === 0 ? [] : connection.all(selectMessages(ids)).map(readMessage);
}

/** Pruning keeps the delivery with the highest number, so that one is the newest. */
const LAST_SEQ = sql`SELECT COALESCE(max(delivery_seq), 0) FROM deliveries`;

function nextSeq(connection: SqliteConnection): number {
  return whole(connection.value(LAST_SEQ.sql), "deliveries.delivery_seq") + 1;
}

function boxesIn(rows: readonly SqlRow[]): readonly SqlRow[] {
  return rows.filter((row) => row["agent_id"] !== null);
}

/** The first statement tells the present name, the mailbox's row, and whether more statements are worth their time. */
function loadWindow(connection: SqliteConnection, agentId: AgentId, look: MailWindow): MailboxWindow {
  const head =
    connection.get(sql`SELECT n.name, ${mailboxes.columns("b")},
        EXISTS (SELECT 1 FROM asks q WHERE q.state = 'waiting' AND q.asker = n.name) AS has_asks,
        EXISTS (SELECT 1 FROM deliveries d
          WHERE d.recipient = n.name AND d.interrupt = 1 AND d.${IS_LIVE}) AS has_interrupts
      FROM (${presentName(agentId)}) n LEFT JOIN mailboxes b ON b.agent_id = n.name`) ?? {};
  const name = readName([head]);
  const count = (column: string) => nullable(whole)(head[column], `mailboxes.${column}`) ?? 0;
  const live = count("pending") + count("in_flight");
  const owner = sql`SELECT ${name} AS name`;
  const window = readWindow(name, {
    boxes: boxesIn([head]),
    deliveries: isEmpty(look, live) ? [] : connection.all(selectDeliveries(owner, look, name, live)),
    interrupts:
      look.kind === "lanes" && bit(head["has_interrupts"], "deliveries") ? connection.all(selectInterrupts(owner)) : [],
    asks: look.kind === "ask" || bit(head["has_asks"], "asks") ? connection.all(selectAsksIn(owner, look)) : [],
  });
  return { ...window, deliveries: window.deliveries.toSorted((a, b) => a.seq - b.seq) };
}

/** Whether it is known already that nothing will be found. */
function isEmpty(look: MailWindow, live: number): boolean {
  if (look.kind === "messages") return look.ids.length === 0;
  if (look.kind === "numbers") return look.seqs.length === 0;
  return (look.kind === "lanes" || look.kind === "live") && live === 0;
}

/** If all lanes together are no longer than what is wanted of each, no lane has to be cut. */
function selectDeliveries(owner: Names, look: MailWindow, name: AgentId, live: number): Statement {
  const isAll = look.kind === "lanes" && look.from === null && live <= look.perSender;
  return isAll ? selectLive(name, look.withShown === true) : selectWindow(owner, look);
}

const named = (agentId: AgentId) => sql`SELECT 1, (${presentName(agentId)})`;

/** What a send must know. It runs inside the transaction of the room's change. */
export function loadPost(connection: SqliteConnection, roomId: RoomId, request: PostRequest): Post {
  const { sender, to, outside = [], msgId, cites } = request;
  const members = sql`SELECT 1, m.agent_id FROM members m WHERE m.room_id = ${roomId}`;
  const others = to === "room" ? [members, ...outside.map(named)] : [named(to)];
  // The sender comes first.
  const rows = connection.all(sql`SELECT n.name, ${mailboxes.columns("b")}, (${LAST_SEQ}) AS last_seq
      FROM (SELECT 0 AS place, (${presentName(sender)}) AS name UNION ALL ${join(others, " UNION ALL ")}) n
      LEFT JOIN mailboxes b ON b.agent_id = n.name ORDER BY n.place`);
  const [author, ...recipients] = rows.map((row) => agentIdCodec(row["name"], "aliases.name"));
  const lastSeq = whole(rows[0]?.["last_seq"], "deliveries.delivery_seq");
  return readPost({
    sender: author as AgentId,
    to: to === "room" ? to : (recipients[0] as AgentId),
    boxes: boxesIn(rows),
    freeSeqs: recipients.map((_, index) => lastSeq + 1 + index),
    sent: msgId === null ? [] : connection.all(selectSent(presentName(sender), msgId)),
    messages: cites.length === 0 ? [] : connection.all(selectMessages(cites)),
    recipients: cites.length === 0 ? [] : connection.all(selectRecipients(cites)),
    asks: request.asks ? connection.all(selectWaitingAsks(null)) : [],
  });
}
