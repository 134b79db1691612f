/** How much mail waits for somebody: all of it, or that of one sender. A read. */
import type { Caller } from "../../domain/given.ts";
import { asAgentId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { isLive, settled } from "../../domain/mail/delivery.ts";
import { unread } from "../../domain/mail/mailbox.ts";
import type { Deps } from "../deps.ts";

const PAGE = LIMITS.deliveriesPerPage;

export async function countUnread({ store }: Deps, { agentId }: Caller, from: string | null): Promise<number> {
  if (from === null) {
    const { window } = await store.readMailbox(agentId, { kind: "messages", ids: [] });
    return unread(window.box);
  }
  const sender = await store.resolveAlias(asAgentId(from));
  let count = 0;
  for (let after = 0; ; ) {
    const { window, moment } = await store.readMailbox(agentId, { kind: "live", limit: PAGE, after });
    const theirs = window.deliveries.filter((delivery) => delivery.from === sender);
    count += theirs.filter((delivery) => isLive(settled(delivery, moment))).length;
    const last = window.deliveries.at(-1);
    if (!last || window.deliveries.length < PAGE) return count;
    after = last.seq;
  }
}
