/** A room of its own in a store under test, with agents that write to each other and a clock that the test moves. */

import { asAgentId, asRoomId } from "../../../src/core/ids.ts";
import type { Delivery, DeliveryCounts } from "../../../src/core/mail-records.ts";
import { DEFAULT_POLICY, type Policy } from "../../../src/core/policy.ts";
import type { Moment } from "../../../src/core/time.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { Store } from "../../../src/engine/ports/store.ts";
import { settled } from "../../../src/mail/rules/delivery.ts";
import type { TurnSign } from "../../../src/mail/rules/show.ts";
import { createRoom } from "../../../src/room/rules/room.ts";
import type { Caller } from "../../../src/session/rules/decision-input.ts";
import { createTalkingStick, type TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import { type HookShow, showByHook } from "../../store-contract/showing.ts";
import { processOf } from "../../support/room-world.ts";
import { servicePorts } from "../../support/service-ports.ts";
import { accepted } from "../../support/service-world.ts";
import { storeOnClock } from "../../support/store-on-clock.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Nobody is forgotten, and nobody is held back for being fast. */
const PATIENT: Partial<Policy> = { sendRatePerMin: 0, presenceTtlMs: 365 * DAY_MS, idleRoomTtlMs: 365 * DAY_MS };

export class Office {
  readonly roomId: string;
  readonly #deps: Deps;
  readonly #store: Store;
  readonly #prefix: string;
  readonly #formerIds = new Map<string, string>();
  nowMs = 0;
  wallMs = 1_767_225_600_000;
  boot = 1;

  /** `number` tells the offices in one store apart. */
  private constructor(store: Store, number: string, idPrefix = "") {
    this.#prefix = number;
    this.roomId = `room-${number}`;
    const clock = { now: () => this.#moment() };
    this.#store = storeOnClock(store, clock);
    let ids = 0;
    this.#deps = servicePorts({
      store: this.#store,
      clock,
      random: { id: () => `${idPrefix}${number}-${(ids += 1)}` },
      policy: { ...DEFAULT_POLICY, ...PATIENT },
    });
  }

  static async open(store: Store, number: string, policy: Partial<Policy>, agents: readonly string[]): Promise<Office> {
    const office = new Office(store, number);
    const path = `/tree-${number}`;
    const otherwise = {
      id: asRoomId(office.roomId),
      host: "local",
      path,
      project: path,
      createdAt: "2026-01-01T00:00:00.000Z",
      policy: { ...DEFAULT_POLICY, ...PATIENT, ...policy },
    };
    await store.change({ host: "local", paths: [path], otherwise }, () => ({
      change: { room: createRoom(otherwise), events: [] },
      answer: true,
    }));
    for (const agent of agents) await office.join(agent);
    return office;
  }

  /** The same office, reached through another connection. */
  through(store: Store): Office {
    return new Office(store, this.#prefix, "again-");
  }

  #moment(): Moment {
    return { instant: { epoch: `boot-${this.boot}`, ms: this.nowMs }, suspendedMs: 0, wallMs: this.wallMs };
  }

  /** The agent's id in the store; several offices share one. */
  idOf(agent: string): string {
    return `${agent.split(":")[0]}:${this.#prefix}-${agent}`;
  }

  as(agent: string): TalkingStick {
    return createTalkingStick(this.#deps, this.#caller(agent));
  }

  #caller(agent: string): Caller {
    const former = this.#formerIds.get(agent);
    return {
      agentId: asAgentId(this.idOf(agent)),
      harness: "agent",
      isPerson: false,
      process: processOf(agent),
      sessionId: null,
      formerId: former === undefined ? null : asAgentId(this.idOf(former)),
      tmuxPane: null,
    };
  }

  hook(agent: string, sign: TurnSign, limit: number): Promise<HookShow> {
    return showByHook(this.#deps, this.#caller(agent), sign, limit);
  }

  async join(agent: string): Promise<void> {
    accepted(await this.as(agent).waitForTurn({ roomId: this.roomId, maxWaitMs: 0, claim: false }));
  }

  /** From its next call on the agent is known to be the session that formerly had another name. */
  remember(agent: string, former: string): void {
    this.#formerIds.set(agent, former);
  }

  /** Everything in one mailbox: what is stored, what time has made of it, and what was counted. */
  async mailbox(
    agent: string,
  ): Promise<{ stored: readonly Delivery[]; now: readonly Delivery[]; counts: DeliveryCounts; shown: number }> {
    const everything = { kind: "after", seq: 0, limit: 10_000 } as const;
    const { window, moment } = await this.#store.readMailbox(asAgentId(this.idOf(agent)), everything);
    const now = window.deliveries.map((delivery) => settled(delivery, moment));
    return { stored: window.deliveries, now, counts: window.box.counts, shown: window.box.shown };
  }
}
