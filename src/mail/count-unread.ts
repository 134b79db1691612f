/** How much mail waits for somebody: all of it, or that of one sender. A read, so what time has ended is not counted. */

import { type AgentId, asAgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Delivery } from "../core/mail-records.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { isUnread, settled } from "./rules/delivery.ts";

const PAGE = LIMITS.deliveriesPerPage;

export async function countUnread(
  deps: Deps,
  { agentId }: Pick<Caller, "agentId">,
  from: string | null,
): Promise<number> {
  if (from === null) return countLive(deps, agentId, () => true);
  const sender = await deps.store.resolveAlias(asAgentId(from));
  return countLive(deps, agentId, (delivery) => delivery.from === sender);
}

/** The counts in a mailbox's head are those that somebody has written down, so the mail itself is gone through. */
async function countLive({ store }: Deps, agentId: AgentId, isMeant: (delivery: Delivery) => boolean): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const { window, moment } = await store.readMailbox(agentId, { kind: "live", limit: PAGE, after });
    count += window.deliveries.filter((delivery) => isMeant(delivery) && isUnread(settled(delivery, moment))).length;
    const last = window.deliveries.at(-1);
    if (!last || window.deliveries.length < PAGE) return count;
    after = last.seq;
  }
}
