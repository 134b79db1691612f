/** What waits for somebody in its mailbox, and who waits for its answer. A read. */

import type { AgentId, EventId } from "../core/ids.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor, withVerdicts } from "../engine/evidence.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { MailWatch } from "./mail-watch.ts";
import { isWaitedFor } from "./rules/ask.ts";
import { isUnread } from "./rules/delivery.ts";

export interface Question {
  readonly messageId: EventId;
  readonly from: AgentId;
  readonly isRead: boolean;
}

export interface MailAtAGlance {
  readonly unread: number;
  readonly asked: readonly Question[];
}

export async function mailAtAGlance(deps: Deps, caller: Caller | null): Promise<MailAtAGlance> {
  if (!caller) return { unread: 0, asked: [] };
  const { unread } = await new MailWatch(deps, caller).look();
  return { unread, asked: await questionsFor(deps, caller) };
}

async function questionsFor(deps: Deps, caller: Caller): Promise<readonly Question[]> {
  const me = await deps.store.resolveAlias(caller.agentId);
  const asks = (await deps.store.readWaitingAsks()).filter(({ peer }) => peer === me);
  const look = { kind: "messages", ids: asks.map(({ requestId }) => requestId) } as const;
  const { window, moment } = await deps.store.readMailbox(me, look);
  const evidence = withVerdicts(
    deps,
    NO_EVIDENCE,
    asks.map(({ caller: process }) => process),
  );
  const given = givenFor(deps, caller, moment, evidence);
  return asks
    .filter((ask) => isWaitedFor(ask, given))
    .map(({ requestId, asker }) => {
      const delivery = window.deliveries.findLast(({ messageId }) => messageId === requestId);
      return { messageId: requestId, from: asker, isRead: delivery !== undefined && !isUnread(delivery) };
    });
}
