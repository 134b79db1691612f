/**
 * The mailbox that was changed last, with the deliveries that were in sight, and the mark of that state. Whoever takes
 * mail mostly answers for it next, and while the mark is the same nobody has committed since: what is known is what a
 * read would bring.
 */

import type { AgentId } from "../../core/ids.ts";
import type { Delivery } from "../../core/mail-records.ts";
import type { MailWindow } from "../../engine/ports/mail-store.ts";
import { boxOf } from "../../mail/rules/mail-change.ts";
import type { MailboxWindow, MailDecision } from "../../mail/rules/take.ts";

interface Known {
  /** By whatever name it was asked for. */
  readonly owner: AgentId;
  readonly mark: string;
  readonly window: MailboxWindow;
  readonly deliveries: ReadonlyMap<number, Delivery>;
}

export class KnownMail {
  #known: Known | null = null;

  /** Undefined when it has to be read. */
  get(owner: AgentId, look: MailWindow, mark: string): MailboxWindow | undefined {
    const known = this.#known;
    if (look.kind !== "numbers" || known?.owner !== owner || known.mark !== mark) return undefined;
    const deliveries = look.seqs.flatMap((seq) => known.deliveries.get(seq) ?? []);
    if (deliveries.length < look.seqs.length) return undefined;
    return { ...known.window, deliveries: deliveries.toSorted((a, b) => a.seq - b.seq), interrupters: new Map() };
  }

  /** An ask that has begun or ended is left to the next read. */
  set(owner: AgentId, window: MailboxWindow, { mail }: MailDecision<unknown>, mark: string): void {
    const seen = window.deliveries.map((delivery) => [delivery.seq, delivery] as const);
    this.#known =
      mail.asks.size > 0
        ? null
        : {
            owner,
            mark,
            window: { ...window, box: boxOf(mail, window.box.agentId) },
            deliveries: new Map([...seen, ...mail.deliveries]),
          };
  }
}
