/**
 * Climbs the ladder for one recipient of one message. It reads the facts again before every rung, and claims the batch
 * before it acts. It confirms the claim right before a step that cannot be undone, and returns a claim that it could
 * not use. A wake that was sent counts as fired when its recipient shows a sign of life.
 */
import type { AgentId } from "../core/ids.ts";
import { elapsedMs, type Instant } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import type { WakeTarget, Waking } from "../engine/ports/wake.ts";
import { beginWake, claimWake, endWake, outcomeOf } from "../mail/claim-wake.ts";
import type { Claim, DeliveryStanding } from "../mail/rules/batch.ts";
import { type WakeStatus, type WakeTry, wakeTextFor } from "../mail/rules/wake-status.ts";
import { awaitSignOfLife, pulseOf } from "../mail/sign-of-life.ts";
import { findWakeTarget } from "../session/wake-facts.ts";
import { awaitWaker } from "./await-waker.ts";
import { nextStep, type Rung, statusAfter } from "./rules/ladder.ts";

export interface WakeRequest {
  readonly project: string;
  readonly owner: AgentId;
  /** The delivery's number. */
  readonly seq: number;
  readonly sender: AgentId;
}

/** What a caller that cannot wait for the end of a climb must know about it. */
export interface Progress {
  /** What was tried, in order, and what came of each. */
  readonly steps: string[];
  /** Something is being done that cannot be taken back. */
  acts: boolean;
  /** Nobody waits for the end any more, so nothing more may be begun. */
  isOver: boolean;
}

/** The part of the budget in which a waker must begin. The rest leaves time for another way, even for keys. */
const WAKERS_SHARE = 0.5;

export async function climb(
  deps: Deps,
  waking: Waking,
  request: WakeRequest,
  budgetMs: number,
  progress: Progress,
): Promise<WakeStatus> {
  const since = deps.clock.now().instant;
  const tried = new Set<Rung>();
  for (;;) {
    const { target, facts } = await findWakeTarget(deps, waking, request.project, request.owner);
    const step = nextStep(facts, tried);
    if ("stop" in step) return step.stop;
    tried.add(step.climb);
    const forMs = budgetMs - spentMs(deps, since);
    const attempt = { deps, waking, request, target, forMs, progress };
    const status = await (step.climb === "waker" ? waitForWaker(attempt) : act(attempt, step.climb));
    progress.steps.push(`${step.climb}: ${status ?? "nothing"}`);
    if (status !== null) return status;
  }
}

interface Attempt {
  readonly deps: Deps;
  readonly waking: Waking;
  readonly request: WakeRequest;
  readonly target: WakeTarget;
  readonly forMs: number;
  readonly progress: Progress;
}

function waitForWaker({ deps, request, forMs, progress }: Attempt): Promise<WakeStatus | null> {
  const onBegun = () => {
    progress.acts = true;
  };
  return awaitWaker(deps, { ...request, beginMs: forMs * WAKERS_SHARE, forMs, onBegun });
}

/** Null when nothing was done, and another rung may be tried. */
async function act(attempt: Attempt, rung: "native" | "terminal"): Promise<WakeStatus | null> {
  const { deps, waking, request, target, forMs, progress } = attempt;
  const since = deps.clock.now().instant;
  const obstacle = rung === "terminal" ? await waking.obstacle(target, forMs) : null;
  if (obstacle !== null) return statusAfter(obstacle);
  if (progress.isOver) return "skipped_no_target";
  const claim = await claimWake(deps, request.owner, request.seq);
  if (!isClaim(claim)) return claim === "read" || claim === "open" ? "receiver_live" : claim;
  const woken = { ...request, place: target };
  const before = await pulseOf(deps, woken);
  const leftMs = forMs - spentMs(deps, since);
  const mayAct = async () => {
    const isOurs = !progress.isOver && (await beginWake(deps, request.owner, claim));
    progress.acts = isOurs && !progress.isOver;
    return progress.acts;
  };
  let done: WakeTry = "failed";
  if (rung === "terminal") done = await waking.type(target, leftMs, mayAct);
  else if (await mayAct()) {
    const text = wakeTextFor(claim, deps.clock.now().wallMs);
    done = await waking.push(target, { text, forMs: leftMs });
  }
  progress.acts = done === "sent";
  await endWake(deps, request.owner, claim, outcomeOf(done));
  if (done !== "sent") return statusAfter(done);
  const watch = { ...woken, before, bellOf: request.sender, forMs: forMs - spentMs(deps, since) };
  if (!(await awaitSignOfLife(deps, watch))) return "fired_unconfirmed";
  await endWake(deps, request.owner, claim, "fired");
  return "fired";
}

export function isClaim(claim: Claim | DeliveryStanding): claim is Claim {
  return typeof claim === "object";
}

function spentMs({ clock }: Deps, since: Instant): number {
  return elapsedMs(since, clock.now().instant);
}
