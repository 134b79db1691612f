/** The stick going round: in peace between two, and as fast as it can among many. */

import { Fault } from "../../../src/core/fault.ts";
import type { YourTurn } from "../../../src/stick/rules/answers.ts";
import { accepted } from "../../../test/support/sqlite-world.ts";
import { type Mark, nowUs } from "../../marks.ts";
import { pause } from "../pause.ts";
import type { Member } from "./member.ts";

const WAIT_MS = 60_000;
const HANDOFF = { status: "half of it is done", nextAction: "do the other half" };

/** Takes the stick and keeps it. */
export async function hold(member: Member): Promise<void> {
  await waitForTurn(member);
}

export interface TurnsTaken {
  /** When each turn was in hand; only those that were released to a waiter. */
  readonly arrivals: readonly Mark[];
  /** When the release that leads to each turn was begun. */
  readonly starts: readonly Mark[];
}

/** Takes the turn `rounds` times and holds it for a while, so that the other one is waiting when it is released. */
export async function takeTurns(
  member: Member,
  { rounds, holdMs }: { readonly rounds: number; readonly holdMs: number },
): Promise<TurnsTaken> {
  const arrivals: Mark[] = [];
  const starts: Mark[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const turn = await waitForTurn(member);
    if (turn.reason === "sequence") arrivals.push([String(turn.turnId), nowUs()]);
    await pause(holdMs);
    starts.push([String(turn.turnId + 1), nowUs()]);
    await release(member, turn);
  }
  return { arrivals, starts };
}

export interface Contended {
  readonly grants: number;
  readonly worstWaitUs: number;
  /** The codes of what the store threw. */
  readonly faults: readonly string[];
}

/** Waits and releases without a pause until the time is over. The last turn is released too, so nobody is left waiting. */
export async function contend(member: Member, { forMs }: { readonly forMs: number }): Promise<Contended> {
  const until = nowUs() + forMs * 1000;
  const faults: string[] = [];
  let grants = 0;
  let worstWaitUs = 0;
  while (nowUs() < until) {
    const asked = nowUs();
    try {
      const turn = await waitForTurn(member);
      const granted = nowUs();
      worstWaitUs = Math.max(worstWaitUs, granted - asked);
      if (granted < until) grants += 1;
      await release(member, turn);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(error.code);
    }
  }
  return { grants, worstWaitUs, faults };
}

async function waitForTurn({ stick, roomId }: Member): Promise<YourTurn> {
  const answer = accepted(await stick.waitForTurn({ roomId, maxWaitMs: WAIT_MS }));
  if (answer.status === "your_turn") return answer;
  throw new Error(`the turn did not come within ${WAIT_MS} ms: ${answer.status}`);
}

async function release({ stick, roomId }: Member, { leaseId, turnId }: YourTurn): Promise<void> {
  accepted(await stick.releaseStick({ roomId, leaseId, expectedTurnId: turnId, handoff: HANDOFF }));
}
