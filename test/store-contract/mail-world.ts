/** Agents that write to each other through a store under test, with processes that the test controls. */

import { onTestFinished } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import type { DeliveryCounts, Mailbox } from "../../src/core/mail-records.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { beginMail, withBox } from "../../src/mail/rules/mail-change.ts";
import { unread } from "../../src/mail/rules/mailbox.ts";
import type { TurnEvent } from "../../src/mail/rules/show.ts";
import { createRoom } from "../../src/room/rules/room.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled, servicePorts } from "../support/service-ports.ts";
import { accepted } from "../support/service-world.ts";
import { showByHook } from "./showing.ts";

const ROOM = "room-of-mail";

export class MailWorld {
  readonly deps: Deps;
  readonly roomId = ROOM;
  readonly gone = new Set<string>();
  readonly #formerIds = new Map<string, string>();

  private constructor(deps: Pick<Deps, "store" | "clock" | "policy">) {
    this.deps = servicePorts({ ...deps, gone: this.gone });
  }

  static async open(
    openBackend: () => Promise<{ readonly store: Store }>,
    policy: Partial<Policy> = {},
    clock: Clock = { now: () => ({ instant: { epoch: "boot-1", ms: 0 }, suspendedMs: 0, wallMs: 0 }) },
  ): Promise<MailWorld> {
    const { store } = await openBackend();
    onTestFinished(() => store.close());
    const world = new MailWorld({ store, clock, policy: { ...DEFAULT_POLICY, ...policy } });
    await world.#makeRoom({ ...DEFAULT_POLICY, sendRatePerMin: 0, ...policy });
    return world;
  }

  async #makeRoom(policy: Policy): Promise<void> {
    const otherwise = {
      id: asRoomId(ROOM),
      host: "local",
      path: "/tree",
      project: "/tree",
      policy,
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    await this.deps.store.change({ host: "local", paths: ["/tree"], otherwise }, () => ({
      change: { room: createRoom(otherwise), events: [] },
      answer: true,
    }));
  }

  /** From now on the agent calls as the session that formerly had another name. */
  remember(agent: string, former: string): void {
    this.#formerIds.set(agent, former);
  }

  as(agent: string, { person = false } = {}): TalkingStick {
    return createTalkingStick(this.deps, agentCalled(agent, { person, former: this.#formerIds.get(agent) ?? null }));
  }

  /** Makes members of them, without a word. */
  async join(...agents: string[]): Promise<void> {
    for (const agent of agents)
      accepted(await this.as(agent).waitForTurn({ roomId: ROOM, maxWaitMs: 0, claim: false }));
  }

  async send(from: string, to: string, body: string, more: object = {}) {
    return accepted(await this.as(from).sendMessage({ roomId: ROOM, to, body, ...more }));
  }

  /** Takes and confirms; the bodies, in the order they came. */
  async read(agent: string, more: object = {}): Promise<readonly string[]> {
    const taken = accepted(await this.as(agent).takeMessages(more));
    await taken.confirm();
    return taken.answer.messages.map(({ body }) => body);
  }

  /** A hook in this turn: what it shows, in its order. */
  async hook(agent: string, event: TurnEvent, turn: string | null, { limit = 50, dies = false } = {}) {
    const caller = agentCalled(agent, { former: this.#formerIds.get(agent) ?? null });
    const { messages, mark } = await showByHook(this.deps, caller, { event, turn }, limit);
    if (!dies) await mark();
    return messages.map(({ messageId }) => messageId);
  }

  /** Changes the head of a mailbox directly. */
  async changeBox(agent: string, change: (box: Mailbox) => Mailbox): Promise<void> {
    await this.deps.store.changeMailbox(asAgentId(agent), { kind: "messages", ids: [] }, ({ window: { box } }) => ({
      mail: withBox(beginMail(new Map([[box.agentId, box]])), change(box)),
      answer: true,
    }));
  }

  async counts(agent: string): Promise<DeliveryCounts & { readonly unread: number; readonly shown: number }> {
    const look = { kind: "messages", ids: [] } as const;
    const { window } = await this.deps.store.readMailbox(asAgentId(agent), look);
    return { ...window.box.counts, unread: unread(window.box), shown: window.box.shown };
  }
}
