/** A room of its own in a store under test, with agents that write to each other and a clock that the test moves. */

import { asAgentId } from "../../../src/core/ids.ts";
import type { Delivery, DeliveryCounts } from "../../../src/core/mail-records.ts";
import { DEFAULT_POLICY, type Policy } from "../../../src/core/policy.ts";
import type { Store } from "../../../src/engine/ports/store.ts";
import { settled } from "../../../src/mail/rules/delivery.ts";
import type { TurnSign } from "../../../src/mail/rules/show.ts";
import type { Caller } from "../../../src/session/rules/decision-input.ts";
import { type HookShow, showByHook } from "../../store-contract/showing.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";
import { storeOnClock } from "../../support/store-on-clock.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Nobody is forgotten, and nobody is held back for being fast. */
const PATIENT: Partial<Policy> = { sendRatePerMin: 0, presenceTtlMs: 365 * DAY_MS, idleRoomTtlMs: 365 * DAY_MS };

export class Office extends ServiceWorld {
  readonly roomId: string;
  readonly #prefix: string;
  override nowMs = 0;
  override wallAheadMs = 1_767_225_600_000;

  /** `number` tells the offices in one store apart. */
  private constructor(store: Store, number: string, idPrefix = "") {
    let ids = 0;
    super(PATIENT, {
      openStore: (clock) => storeOnClock(store, clock),
      random: { id: () => `${idPrefix}${number}-${(ids += 1)}` },
    });
    this.#prefix = number;
    this.roomId = `room-${number}`;
  }

  static async open(store: Store, number: string, policy: Partial<Policy>, agents: readonly string[]): Promise<Office> {
    const office = new Office(store, number);
    await office.makeRoom(office.roomId, `/tree-${number}`, { ...DEFAULT_POLICY, ...PATIENT, ...policy });
    for (const agent of agents) await office.join(agent);
    return office;
  }

  /** The same office, reached through another connection. */
  through(store: Store): Office {
    return new Office(store, this.#prefix, "again-");
  }

  /** The agent's id in the store; several offices share one. */
  idOf(agent: string): string {
    return `${agent.split(":")[0]}:${this.#prefix}-${agent}`;
  }

  override callerOf(agent: string): Caller {
    const { formerId, ...caller } = super.callerOf(agent);
    return {
      ...caller,
      agentId: asAgentId(this.idOf(agent)),
      harness: "agent",
      formerId: formerId === null ? null : asAgentId(this.idOf(formerId)),
    };
  }

  hook(agent: string, sign: TurnSign, limit: number): Promise<HookShow> {
    return showByHook(this.deps, this.callerOf(agent), sign, limit);
  }

  async join(agent: string): Promise<void> {
    accepted(await this.as(agent).waitForTurn({ roomId: this.roomId, maxWaitMs: 0, claim: false }));
  }

  /** Everything in one mailbox: what is stored, what time has made of it, and what was counted. */
  async mailbox(
    agent: string,
  ): Promise<{ stored: readonly Delivery[]; now: readonly Delivery[]; counts: DeliveryCounts; shown: number }> {
    const everything = { kind: "after", seq: 0, limit: 10_000 } as const;
    const { window, moment } = await this.deps.store.readMailbox(asAgentId(this.idOf(agent)), everything);
    const now = window.deliveries.map((delivery) => settled(delivery, moment));
    return { stored: window.deliveries, now, counts: window.box.counts, shown: window.box.shown };
  }
}
