/** The mailboxes of the store on one SQLite file; see engine/ports/mail-store.ts for the promises. */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { Ask, Delivery, Receiver } from "../../core/mail-records.ts";
import type { LoadedMailbox, MailChanged, MailOptions, MailStore, MailWindow } from "../../engine/ports/mail-store.ts";
import { takenIn } from "../../mail/rules/mail-change.ts";
import type { Message } from "../../mail/rules/message.ts";
import type { MailDecision } from "../../mail/rules/take.ts";
import { selectAsks, selectReceivers, selectWaitingAsks } from "../sql/mail-load.ts";
import { mailMustReachDisk } from "../sql/mail-must-reach-disk.ts";
import { readAsk, readReceivers } from "../sql/mail-rows.ts";
import { KnownMail } from "./known-mail.ts";
import { loadDeliveries, loadMessages, loadWindow, nextSeq, saveWindow } from "./mail.ts";
import type { SqliteParts } from "./parts.ts";
import { onlyDone, readTransaction, UNDONE } from "./transaction.ts";

type Waiting = NonNullable<MailOptions["waitsForDisk"]>;

export class SqliteMailStore implements MailStore {
  readonly #parts: SqliteParts;
  readonly #known = new KnownMail();

  constructor(parts: SqliteParts) {
    this.#parts = parts;
  }

  changeMailbox<Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
    { waitsForDisk = "all", withMessages = false }: MailOptions = {},
  ): Promise<MailChanged<Answer>> {
    const change = (waits: Waiting) => this.#change(owner, look, decide, waits, withMessages);
    return this.#parts.schema.change(() => {
      const changed = change(waitsForDisk);
      return changed === UNDONE ? onlyDone(change("all")) : changed;
    });
  }

  #change<Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
    waitsForDisk: Waiting,
    withMessages: boolean,
  ): MailChanged<Answer> | typeof UNDONE {
    const { connection, clock, schema, mark, checkpoints } = this.#parts;
    connection.waitForDisk(waitsForDisk === "all");
    const made = schema.transaction(() => {
      const window = this.#known.get(owner, look, mark.read()) ?? loadWindow(connection, owner, look);
      const loaded = {
        moment: clock.now(),
        window,
        // Most changes make no new delivery.
        get freeSeq() {
          return nextSeq(connection);
        },
      };
      const decision = decide(loaded);
      if (waitsForDisk === "ends" && mailMustReachDisk(decision.mail)) return UNDONE;
      if (saveWindow(connection, window, decision)) mark.changed();
      const messages = withMessages ? loadMessages(connection, takenIn(decision.mail)) : undefined;
      return { window, decision, messages };
    });
    if (made === UNDONE) return made;
    const { window, decision, messages } = made;
    this.#known.set(owner, window, decision, mark.current);
    checkpoints.changed();
    return messages ? { ...decision, messages } : decision;
  }

  readMailbox(owner: AgentId, look: MailWindow) {
    const { connection, clock } = this.#parts;
    return this.#read(() =>
      readTransaction(connection, () => ({ moment: clock.now(), window: loadWindow(connection, owner, look) })),
    );
  }

  readMessages(ids: readonly EventId[]): Promise<readonly Message[]> {
    return this.#read(() => loadMessages(this.#parts.connection, ids));
  }

  readReceivers(agents: readonly AgentId[]): Promise<readonly Receiver[]> {
    return this.#read(() => this.#parts.connection.all(selectReceivers(agents)).flatMap(readReceivers));
  }

  readWaitingAsks(): Promise<readonly Ask[]> {
    return this.#read(() => this.#parts.connection.all(selectWaitingAsks(null)).map(readAsk));
  }

  readAsks(ids: readonly EventId[]): Promise<readonly Ask[]> {
    return this.#read(() => this.#parts.connection.all(selectAsks(ids)).map(readAsk));
  }

  readDeliveries(messageId: EventId): Promise<readonly Delivery[]> {
    return this.#read(() => loadDeliveries(this.#parts.connection, messageId));
  }

  #read<T>(work: () => T): Promise<T> {
    return this.#parts.schema.read(work);
  }
}
