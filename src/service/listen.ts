/**
 * One blocking receive for everything that concerns the caller: a turn that was passed or reserved to it, and a
 * reservation that it lost. It takes no place in the queue and never claims an idle stick.
 */
import type { Caller } from "../domain/given.ts";
import type { AgentId } from "../domain/ids.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import type { TurnAnswer } from "../domain/stick/answers.ts";
import type { Deps } from "./deps.ts";
import { type EventBatch, waitForEvents } from "./events.ts";
import { waitForTurn } from "./wait-for-turn.ts";

export interface ListenInput {
  readonly roomId: string;
  readonly maxWaitMs?: number;
  /** Where the last listen ended; without it only what happens from now on counts. */
  readonly afterEventSeq?: number;
  readonly signal?: AbortSignal;
}

export interface ReservationLost {
  readonly status: "reservation_lost";
  readonly turnId: number;
  /** Who has it now; null when the stick lies idle. */
  readonly reservedFor: AgentId | null;
}

export interface Heard {
  readonly answer: TurnAnswer | ReservationLost;
  readonly cursorEventSeq: number;
}

export async function listen(deps: Deps, caller: Caller, input: ListenInput): Promise<Heard | Refusal> {
  const enough = new AbortController();
  const signal = input.signal ? AbortSignal.any([input.signal, enough.signal]) : enough.signal;
  const { roomId } = input;
  const limit = input.maxWaitMs === undefined ? {} : { maxWaitMs: input.maxWaitMs };
  const after = input.afterEventSeq === undefined ? {} : { afterEventSeq: input.afterEventSeq };
  const turn = endingOthers(
    waitForTurn(deps, caller, { roomId, claim: false, signal, ...limit }),
    (answer) => isRefusal(answer) || answer.status !== "not_yet",
    enough,
  );
  const events = endingOthers(
    waitForEvents(deps, caller, {
      roomId,
      targetAgentId: caller.agentId,
      eventTypes: ["reservation_expired"],
      signal,
      ...limit,
      ...after,
    }),
    (batch) => isRefusal(batch) || batch.events.length > 0,
    enough,
  );
  const [answer, batch] = await Promise.all([turn, events]);
  if (isRefusal(answer)) return answer;
  if (isRefusal(batch)) return batch;
  return {
    answer: answer.status === "not_yet" ? (lost(batch) ?? answer) : answer,
    cursorEventSeq: batch.cursorEventSeq,
  };
}

/**
 * Ends the other wait when this one has something to say, or failed. Running out of time says nothing: a wait that
 * is ended gives its place up, and one that ran out keeps it for the room's grace.
 */
async function endingOthers<Answer>(
  wait: Promise<Answer>,
  saysSomething: (answer: Answer) => boolean,
  enough: AbortController,
): Promise<Answer> {
  try {
    const answer = await wait;
    if (saysSomething(answer)) enough.abort();
    return answer;
  } catch (error) {
    enough.abort();
    throw error;
  }
}

function lost({ events }: EventBatch): ReservationLost | null {
  const last = events.at(-1);
  if (!last) return null;
  const { reservedFor } = last.payload as { readonly reservedFor: AgentId | null };
  return { status: "reservation_lost", turnId: last.turnId, reservedFor };
}
