/**
 * Mailboxes on a store under test. Every store is told the time by the test, also one whose server has a clock of its
 * own: whatever moment it would give, decisions and readers get the test's.
 */

import { onTestFinished } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { DeliveryCounts } from "../../src/core/mail-records.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import type { Moment } from "../../src/core/time.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { createWorkspace } from "../../src/platform/git/workspace.ts";
import { Mailbox as MailboxHandle } from "../../src/surfaces/library/mailbox.ts";
import { type Mailbox, mailboxLibrary } from "../../src/surfaces/library/mailbox-library.ts";
import type { MessageState, NewMessage } from "../../src/surfaces/library/mailbox-message.ts";
import { servicePorts } from "../support/service-ports.ts";
import { accepted } from "../support/service-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

export interface MailboxBackend {
  readonly store: Store;
  /** Another connection to the same data; in memory there is only one. */
  again(): Promise<Store>;
}

export type OpenMailboxBackend = () => Promise<MailboxBackend>;

/** 2026-01-01, in seconds. */
export const START = 1_767_225_600;

export class MailboxWorld {
  readonly root = temporaryDirectory();
  readonly policy: Policy;
  readonly #backend: MailboxBackend;
  #elapsedMs = 0;
  #ids = 0;

  private constructor(backend: MailboxBackend, policy: Partial<Policy>) {
    this.#backend = backend;
    this.policy = { ...DEFAULT_POLICY, ...policy };
  }

  static async open(openBackend: OpenMailboxBackend, policy: Partial<Policy> = {}): Promise<MailboxWorld> {
    const backend = await openBackend();
    onTestFinished(() => backend.store.close());
    return new MailboxWorld(backend, policy);
  }

  /** Now, in seconds. */
  get now(): number {
    return START + this.#elapsedMs / 1000;
  }

  pass(seconds: number): void {
    this.#elapsedMs += seconds * 1000;
  }

  get moment(): Moment {
    const ms = this.#elapsedMs;
    return { instant: { epoch: "boot-1", ms: 1000 + ms }, suspendedMs: 0, wallMs: START * 1000 + ms };
  }

  /** A handle of its own; handles share the store's connection unless they are `apart`. */
  async mailbox({ apart = false } = {}): Promise<Mailbox> {
    const store = apart ? await this.#backend.again() : this.#backend.store;
    if (apart) onTestFinished(() => store.close());
    const handle = accepted(await MailboxHandle.at(this.deps(store), this.root));
    return mailboxLibrary(handle, async () => undefined);
  }

  deps(store: Store = this.#backend.store): Deps {
    return servicePorts({
      store: withTime(store, () => this.moment),
      clock: { now: () => this.moment },
      random: {
        id: () => {
          this.#ids += 1;
          return `id${this.#ids}`;
        },
      },
      workspace: createWorkspace({ home: null, shared: false }),
      policy: this.policy,
    });
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

function withTime(store: Store, now: () => Moment): Store {
  const timed: Partial<Store> = {
    change: (target, decide) => store.change(target, (loaded) => decide({ ...loaded, moment: now() })),
    changeMailbox: (owner, look, decide) =>
      store.changeMailbox(owner, look, (loaded) => decide({ ...loaded, moment: now() })),
    readMailbox: async (owner, look) => ({ ...(await store.readMailbox(owner, look)), moment: now() }),
    readRoom: async (roomId) => {
      const snapshot = await store.readRoom(roomId);
      return snapshot && { ...snapshot, moment: now() };
    },
  };
  return new Proxy(store, {
    get: (target, name) => {
      const own = timed[name as keyof Store] ?? target[name as keyof Store];
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}
