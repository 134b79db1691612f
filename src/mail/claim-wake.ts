/** Claims of a batch of unread mail, each a transaction on its owner's mailbox. */
import type { AgentId } from "../core/ids.ts";
import type { ProcessRef } from "../core/process.ts";
import type { Deps } from "../engine/deps.ts";
import {
  BATCH_WINDOW,
  type BatchSight,
  beginAct,
  type Claim,
  claimBatch,
  type DeliveryStanding,
  type EndOfClaim,
  endClaim,
} from "./rules/batch.ts";
import type { WakeTry } from "./rules/wake-status.ts";

/** A power failure loses only the record that an agent was woken. */
const FSYNC_FOR_ENDS = { waitsForDisk: "ends" } as const;
/** The mailbox without its mail. */
const HEAD = { kind: "messages", ids: [] } as const;

/** `claimer` is the process that will wake the recipient. If it ends, the claim is void. */
export async function claimWake(
  deps: Deps,
  owner: AgentId,
  seq: number,
  claimer: ProcessRef = deps.probe.self(),
): Promise<Claim | DeliveryStanding> {
  const { answer } = await deps.store.changeMailbox(
    owner,
    BATCH_WINDOW,
    ({ window, moment }) => claimBatch({ window, moment, isGone: isGone(deps) }, seq, claimer),
    FSYNC_FOR_ENDS,
  );
  return answer;
}

/** To be called right before what cannot be taken back, which may follow only if this is true. */
export async function beginWake({ store }: Deps, owner: AgentId, claim: Claim): Promise<boolean> {
  const { answer } = await store.changeMailbox(owner, HEAD, ({ window }) => beginAct(window, claim), FSYNC_FOR_ENDS);
  return answer;
}

export async function endWake({ store }: Deps, owner: AgentId, claim: Claim, outcome: EndOfClaim): Promise<void> {
  await store.changeMailbox(owner, HEAD, ({ window }) => endClaim(window, claim, outcome), FSYNC_FOR_ENDS);
}

export async function batchNow(deps: Deps, owner: AgentId): Promise<BatchSight> {
  const { window, moment } = await deps.store.readMailbox(owner, BATCH_WINDOW);
  return { window, moment, isGone: isGone(deps) };
}

/** Looked at where it is needed: there is a claim to be judged only rarely, and a look takes no time. */
function isGone({ probe }: Deps): BatchSight["isGone"] {
  return (process) => probe.verdict(process) === "gone";
}

/** Until its recipient shows a sign of life, a wake that was sent is unconfirmed. */
export function outcomeOf(tried: WakeTry): EndOfClaim {
  return tried === "sent" ? "fired_unconfirmed" : "failed";
}
