/**
 * Mailboxes on a store under test. Every store is told the time by the test, also one whose server has a clock of its
 * own: whatever moment it would give, decisions and readers get the test's.
 */

import { onTestFinished } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { type DeliveryCounts } from "../../src/core/mail-records.ts";
import type { Policy } from "../../src/core/policy.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { MailboxHandle } from "../../src/surfaces/library/mailbox.ts";
import { type Mailbox, mailboxLibrary } from "../../src/surfaces/library/mailbox-library.ts";
import type { MessageState, NewMessage } from "../../src/surfaces/library/mailbox-message.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { storeOnClock } from "../support/store-on-clock.ts";

export interface MailboxBackend {
  readonly store: Store;
  /** Another connection to the same data; in memory there is only one. */
  again(): Promise<Store>;
}

export type OpenMailboxBackend = () => Promise<MailboxBackend>;

/** 2026-01-01, in seconds. */
export const START = 1_767_225_600;

export class MailboxWorld extends ServiceWorld {
  override nowMs = 1000;
  override wallAheadMs = START * 1000 - 1000;
  readonly #backend: MailboxBackend;

  private constructor(backend: MailboxBackend, policy: Partial<Policy>) {
    super(policy, { openStore: (clock) => storeOnClock(backend.store, clock) });
    this.#backend = backend;
  }

  static async open(openBackend: OpenMailboxBackend, policy: Partial<Policy> = {}): Promise<MailboxWorld> {
    const backend = await openBackend();
    onTestFinished(() => backend.store.close());
    return new MailboxWorld(backend, policy);
  }

  /** Now, in seconds. */
  get now(): number {
    return this.moment.wallMs / 1000;
  }

  pass(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  /** A handle of its own; handles share the store's connection unless they are `apart`. */
  async mailbox({ apart = false } = {}): Promise<Mailbox> {
    const other = apart ? await this.#backend.again() : null;
    if (other) onTestFinished(() => other.close());
    const store = other ? storeOnClock(other, this.deps.clock) : this.deps.store;
    const handle = accepted(await MailboxHandle.at({ ...this.deps, store }, this.root));
    return mailboxLibrary(handle, async () => undefined);
  }

  async counts(agent: string): Promise<DeliveryCounts> {
    const { window } = await this.#backend.store.readMailbox(asAgentId(agent), { kind: "messages", ids: [] });
    return window.box.counts;
  }

  async rooms() {
    return (await this.#backend.store.readRooms({})).rooms;
  }

  async events() {
    const [room] = await this.rooms();
    return room ? this.#backend.store.readEvents(room.id, 0, 1000) : [];
  }
}

/** The state of the message with an id, as `peek` shows it. */
export async function stateOf(mailbox: Mailbox, msgId: string): Promise<MessageState | undefined> {
  return (await mailbox.peek("worker")).find(({ msg_id }) => msg_id === msgId)?.state;
}

/** A message from `boss` to `worker`. */
export function message(msgId: string, more: Partial<NewMessage> = {}): NewMessage {
  return { msg_id: msgId, from: "boss", to: "worker", payload: `do ${msgId}`, created_at: START, attempt: 0, ...more };
}
