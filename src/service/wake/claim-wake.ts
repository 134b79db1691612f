/** Claims of a batch of unread mail, each a transaction on its owner's mailbox. */
import type { AgentId } from "../../domain/ids.ts";
import { BATCH_WINDOW, type Claim, claimBatch, endClaim, type Standing, standingOf } from "../../domain/wake/batch.ts";
import type { WakeOutcome, WakeTry } from "../../domain/wake/wake-status.ts";
import type { Deps } from "../deps.ts";

/** What is lost with the power is only that somebody was woken. */
const UNHURRIED = { expectsEnds: false } as const;

export async function claimWake({ store }: Deps, owner: AgentId, seq: number): Promise<Claim | Standing> {
  const { answer } = await store.changeMailbox(
    owner,
    BATCH_WINDOW,
    ({ window, moment }) => claimBatch(window, moment, seq),
    UNHURRIED,
  );
  return answer;
}

export async function endWake({ store }: Deps, owner: AgentId, claim: Claim, tried: WakeTry): Promise<void> {
  const outcome = outcomeOf(tried);
  await store.changeMailbox(
    owner,
    { kind: "messages", ids: [] },
    ({ window }) => endClaim(window, claim, outcome),
    UNHURRIED,
  );
}

export async function standingNow({ store }: Deps, owner: AgentId, seq: number) {
  const { window, moment } = await store.readMailbox(owner, BATCH_WINDOW);
  return { standing: standingOf(window, moment, seq), box: window.box };
}

/** Only what certainly did nothing leaves the batch to others. */
function outcomeOf(tried: WakeTry): WakeOutcome {
  if (tried === "fired") return "fired";
  return tried === "unconfirmed" ? "fired_unconfirmed" : "failed";
}
