/** Mailboxes on PostgreSQL. A change locks the rows of the mailboxes it may touch, after its room and in one order. */
import type { RoomId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { MailStore, MailWindow, PostRequest } from "../../engine/ports/mail-store.ts";
import { takenIn } from "../../mail/rules/mail-change.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { MailboxWindow } from "../../mail/rules/take.ts";
import { whole } from "../sql/codec.ts";
import {
  type Names,
  namesAround,
  presentName,
  readMessage,
  readName,
  readPost,
  readWindow,
  selectAsksIn,
  selectInterrupts,
  selectMailboxes,
  selectMessages,
  selectRecipients,
  selectSent,
  selectWaitingAsks,
  selectWindow,
} from "../sql/mail-load.ts";
import { loadedMail, mailMustReachDisk, saveMail } from "../sql/mail-save.ts";
import { type SqlRow, type Statement, sql } from "../sql/statement.ts";
import { COMMIT } from "./connection.ts";
import type { PostgresSchema } from "./schema.ts";
import { momentOf, NOW, readTogether, rowsOfEach, writeTogether } from "./together.ts";
import { Overtaken } from "./transaction.ts";

/** Mail that was only taken is delivered again if the server loses the commit. A later commit that waits saves this one too. */
const NO_FSYNC = sql`SET LOCAL synchronous_commit TO off`;
const NOTHING = sql`SELECT 1 WHERE false`;

/** What a send must know, asked once its room is locked, and how to read the answers. */
export function lookForPost(roomId: RoomId, request: PostRequest) {
  const { sender, to, msgId, cites, asks } = request;
  const names = namesAround(roomId, request);
  const selects = [
    presentName(sender),
    presentName(to === "room" ? sender : to),
    msgId === null ? NOTHING : selectSent(presentName(sender), msgId),
    selectMessages(cites),
    selectRecipients(cites),
    asks ? selectWaitingAsks(null) : NOTHING,
    freeSeqs(names),
  ];
  return {
    statements: [...lock(names), readTogether(selects)],
    read: ([, boxes = [], read = []]: readonly (readonly SqlRow[])[]): Post => {
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

export function mailMethods(schema: PostgresSchema) {
  return {
    changeMailbox: (agentId, look, decide, { waitsForDisk = "all", withMessages = false } = {}) =>
      schema.change(async (session) => {
        const owner = presentName(agentId);
        const selects = [...windowSelects(owner, look), NOW, freeSeqs(owner)];
        const [, boxes = [], read = []] = await session.begin([...lock(owner), readTogether(selects)]);
        const answers = rowsOfEach(read, selects.length);
        // Merged into another one while this waited for the lock: the next attempt finds its new name.
        if (boxes.length === 0) throw new Overtaken();
        const window = windowOf(boxes, answers);
        const [freeSeq] = (answers[5] ?? []).map(seqOf);
        invariant(freeSeq !== undefined, "there is always a free number");
        const decision = decide({ moment: momentOf(answers[4]), window, freeSeq });
        const writes = saveMail(decision.mail, loadedMail(window));
        if (writes.length === 0) {
          await session.rollback();
          return withMessages ? { ...decision, messages: [] } : decision;
        }
        // Messages never change, so they can be read after the commit: that costs no round trip of its own.
        const bodies = withMessages ? [selectMessages(takenIn(decision.mail))] : [];
        const waits = waitsForDisk !== "nothing" && mailMustReachDisk(decision.mail);
        const sent = await session.send([...(waits ? [] : [NO_FSYNC]), ...writeTogether(writes), COMMIT, ...bodies]);
        return withMessages ? { ...decision, messages: (sent.at(-1) ?? []).map(readMessage) } : decision;
      }),
    async readMailbox(agentId, look) {
      const owner = presentName(agentId);
      const selects = [...windowSelects(owner, look), NOW, selectMailboxes(owner)];
      const answers = rowsOfEach(await schema.query(readTogether(selects)), selects.length);
      return { moment: momentOf(answers[4]), window: windowOf(answers[5] ?? [], answers) };
    },
  } satisfies Partial<MailStore>;
}

function windowSelects(owner: Names, look: MailWindow): readonly Statement[] {
  return [
    owner,
    selectWindow(owner, look),
    look.kind === "lanes" ? selectInterrupts(owner) : NOTHING,
    selectAsksIn(owner, look),
  ];
}

function windowOf(boxes: readonly SqlRow[], answers: readonly (readonly SqlRow[])[]): MailboxWindow {
  const [name = [], deliveries = [], interrupts = [], asks = []] = answers;
  return readWindow(readName(name), { boxes, deliveries, interrupts, asks });
}

/** A mailbox without a row cannot be locked, so the row is created first. */
function lock(names: Names): readonly Statement[] {
  return [
    sql`INSERT INTO mailboxes (agent_id) SELECT n.name FROM (${names}) AS n ORDER BY n.name
        ON CONFLICT (agent_id) DO NOTHING`,
    sql`${selectMailboxes(names)} FOR UPDATE`,
  ];
}

/** One for each name. Drawn while the mailboxes are locked, so that their order is the order of commits. */
function freeSeqs(names: Names): Statement {
  return sql`SELECT nextval('delivery_seq') AS seq FROM (${names}) AS n`;
}

function seqOf(row: SqlRow): number {
  return whole(row["seq"], "delivery_seq");
}
