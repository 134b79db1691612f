/** Agents that write to each other through a store under test, which has a clock of its own. */

import { onTestFinished } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { DeliveryCounts, StoredMailbox } from "../../src/core/mail-records.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import { after } from "../../src/core/time.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { changeMailbox, type DecideMail } from "../../src/mail/change-mailbox.ts";
import { beginMail, withBox } from "../../src/mail/rules/mail-change.ts";
import { unread } from "../../src/mail/rules/mailbox.ts";
import type { TurnEvent } from "../../src/mail/rules/show.ts";
import { type TakenMail, takeMail } from "../../src/mail/rules/take.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { showByHook } from "./showing.ts";

const ROOM = "room-of-mail";

export class MailWorld extends ServiceWorld {
  readonly roomId = ROOM;

  static async open(
    openBackend: () => Promise<{ readonly store: Store }>,
    policy: Partial<Policy> = {},
  ): Promise<MailWorld> {
    const { store } = await openBackend();
    onTestFinished(() => store.close());
    const world = new MailWorld(policy, { openStore: () => store });
    await world.makeRoom(ROOM, "/tree", { ...DEFAULT_POLICY, sendRatePerMin: 0, ...policy });
    return world;
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

  /** Takes one message of each sender, some time from now. Returns the senders in the order of their messages. */
  async takeFirsts(agent: string, { laterMs, dryRun = false }: { laterMs: number; dryRun?: boolean }) {
    const look = { kind: "lanes", perSender: 1, from: null } as const;
    const command = { limit: 50, maxBytes: 65_536, onePerSender: true, from: null, transport: "test" };
    const decide: DecideMail<TakenMail> = (window, given) => {
      const instant = after(given.moment.instant, laterMs);
      const decision = takeMail(window, { ...given, moment: { ...given.moment, instant } }, command);
      const nothing = beginMail(new Map([[window.box.agentId, window.box]]));
      return dryRun ? { ...decision, mail: nothing } : decision;
    };
    const once = () => changeMailbox(this.deps, this.callerOf(agent), look, decide);
    let taken = await once();
    while (taken.again) taken = await once();
    return taken.deliveries.map(({ from }) => from);
  }

  /** A hook in this turn: what it shows, in its order. */
  async hook(agent: string, event: TurnEvent, turn: string | null, { limit = 50, dies = false } = {}) {
    const { messages, mark } = await showByHook(this.deps, this.callerOf(agent), { event, turn }, limit);
    if (!dies) await mark();
    return messages.map(({ messageId }) => messageId);
  }

  /** Changes the head of a mailbox directly. */
  async changeBox(agent: string, change: (box: StoredMailbox) => StoredMailbox): Promise<void> {
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
