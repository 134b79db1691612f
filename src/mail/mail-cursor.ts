/** A number after which somebody wishes to read on in a mailbox. */

import { type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";

/** Deliveries are never removed, so whoever has seen a number finds it again. Null where the mailbox reaches that far. */
export async function refuseAhead(
  deps: Deps,
  { agentId }: Caller,
  seq: number,
): Promise<Refusal<"invalid_cursor"> | null> {
  if (seq === 0) return null;
  const { window } = await deps.store.readMailbox(agentId, { kind: "after", seq: seq - 1, limit: 1 });
  if (window.deliveries.length > 0) return null;
  return refuse(
    "invalid_cursor",
    `The cursor ${seq} is not a position in this mailbox, which ends before it.`,
    "Use the cursor that the last read returned, or 0 to read from the start.",
    { after: seq },
  );
}
