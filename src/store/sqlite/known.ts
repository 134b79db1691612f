/**
 * What this process knows of the store without reading it: the rooms and the mailbox that it last read or wrote, each
 * with the change mark of that state. While the mark is the same, no process has committed since, and a read would
 * return what is known. A call looks at its room more than once, a process that changes a room usually changes it again,
 * and a process that takes mail mostly acknowledges it next.
 */

import type { AgentId, RoomId } from "../../core/ids.ts";
import { type Delivery } from "../../core/mail-records.ts";
import type { MailWindow } from "../../engine/ports/mail-store.ts";
import { boxOf } from "../../mail/rules/mail-change.ts";
import type { MailboxWindow, MailDecision } from "../../mail/rules/take.ts";
import type { Room } from "../../room/rules/room.ts";
import { takesUpHandles } from "../sql/save.ts";
import type { SqliteConnection } from "./connection.ts";
import type { WholeRoom } from "./whole-room.ts";

/**
 * Differs as soon as any process may have changed the file. SQLite counts the commits of other connections; ours are
 * counted here.
 */
export class ChangeMark {
  readonly #connection: SqliteConnection;
  #ownChanges = 0;
  /** As last read. */
  #dataVersion = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  read(): string {
    this.#dataVersion = Number(this.#connection.value("PRAGMA data_version"));
    return this.current;
  }

  /** After a commit of ours. It does not change the data version, so that is still the one read in the transaction. */
  get current(): string {
    return `${this.#dataVersion}.${this.#ownChanges}`;
  }

  /** Must be called for every change of ours. */
  changed(): void {
    this.#ownChanges += 1;
  }
}

const MOST_ROOMS = 32;

export class KnownRooms {
  readonly #rooms = new Map<RoomId, { readonly mark: string; readonly whole: WholeRoom }>();

  get(roomId: RoomId, mark: string): WholeRoom | undefined {
    const known = this.#rooms.get(roomId);
    return known?.mark === mark ? known.whole : undefined;
  }

  set(whole: WholeRoom, mark: string): void {
    if (this.#rooms.size >= MOST_ROOMS) this.#rooms.clear();
    this.#rooms.set(whole.room.id, { mark, whole });
  }
}

/** Whether a read would return the committed room: with its members in the order of their joining, and their handles. */
export function matchesStoredOrder(before: Room, after: Room): boolean {
  const { members } = after.state;
  if (members.size !== before.state.members.size || takesUpHandles(before, after)) return false;
  const was = before.state.members.values();
  for (const { agentId, joinedSeq } of members.values()) {
    const same = was.next().value;
    if (same?.agentId !== agentId || same.joinedSeq !== joinedSeq) return false;
  }
  return true;
}

interface LastMailbox {
  /** By the name that the caller used. */
  readonly owner: AgentId;
  readonly mark: string;
  readonly window: MailboxWindow;
  readonly deliveries: ReadonlyMap<number, Delivery>;
}

/** The mailbox that was changed last, with the deliveries of its window. */
export class KnownMail {
  #last: LastMailbox | null = null;

  /** Undefined when it has to be read. */
  get(owner: AgentId, look: MailWindow, mark: string): MailboxWindow | undefined {
    const last = this.#last;
    if (look.kind !== "numbers" || last?.owner !== owner || last.mark !== mark) return undefined;
    const deliveries = look.seqs.flatMap((seq) => last.deliveries.get(seq) ?? []);
    if (deliveries.length < look.seqs.length) return undefined;
    return { ...last.window, deliveries: deliveries.toSorted((a, b) => a.seq - b.seq), interrupts: [] };
  }

  /** An ask that has begun or ended is left to the next read. */
  set(owner: AgentId, window: MailboxWindow, { mail }: MailDecision<unknown>, mark: string): void {
    const seen = window.deliveries.map((delivery) => [delivery.seq, delivery] as const);
    const known = { ...window, box: boxOf(mail, window.box.agentId) };
    const deliveries = new Map([...seen, ...mail.deliveries]);
    this.#last = mail.asks.size > 0 ? null : { owner, mark, window: known, deliveries };
  }
}
