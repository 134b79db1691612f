/** Whether somebody has written to the caller, known by nothing but an id: it may be no member of any room. */

import type { AgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";

/** Something of it is still to be read. */
export async function hasMailOf({ store }: Deps, { agentId }: Caller, sender: AgentId): Promise<boolean> {
  const from = await store.resolveAlias(sender);
  const { window } = await store.readMailbox(agentId, { kind: "lanes", perSender: 1, from });
  return window.deliveries.length > 0;
}

/** It has written at any time. */
export async function hasWritten({ store }: Deps, { agentId }: Caller, sender: AgentId): Promise<boolean> {
  const from = await store.resolveAlias(sender);
  for (let seq = 0; ; ) {
    const limit = LIMITS.deliveriesPerPage;
    const { window } = await store.readMailbox(agentId, { kind: "after", seq, limit });
    if (window.deliveries.some((delivery) => delivery.from === from)) return true;
    if (window.deliveries.length < limit) return false;
    seq = window.deliveries.at(-1)?.seq ?? seq;
  }
}
