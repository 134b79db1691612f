/**
 * An answer that comes for the wrong attempt. It changes nothing, and its giver is told which of three it is: the attempt
 * has not begun, it is over, or the message itself has ended.
 */
import type { Delivery, DeliveryState } from "../../core/mail-records.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { attemptOf, isLive } from "./delivery.ts";

export interface Answering {
  /** Null means the newest attempt. */
  readonly attempt: number | null;
  /** The end that the answer asks for: a message that has had it has had this answer. */
  readonly wanted: DeliveryState;
  /** The number that the giver has for a first attempt. */
  readonly firstNumber: 0 | 1;
}

/** Null when the answer counts, or repeats one that did. */
export function staleAnswer(
  delivery: Delivery,
  { attempt, wanted, firstNumber }: Answering,
): Refusal<"attempt_stale"> | null {
  const { state } = delivery;
  const current = attemptOf(delivery);
  const isCurrent = attempt === null || attempt === current;
  if (isCurrent && (state === "in_flight" || state === wanted)) return null;
  const told = (n: number) => n - 1 + firstNumber;
  const attempts = { attempt: told(attempt ?? current), current: told(current), wasTaken: current > 0 };
  const [message, next] = isLive(delivery)
    ? whileLive(state, attempts)
    : [endOf(state, isCurrent, attempts), afterEnd(state)];
  return refuse("attempt_stale", message, next, { current_attempt: Math.max(0, told(current)), state });
}

interface Attempts {
  readonly attempt: number;
  readonly current: number;
  readonly wasTaken: boolean;
}

function whileLive(state: DeliveryState, { attempt, current, wasTaken }: Attempts): [message: string, next: string] {
  if (!wasTaken) return ["The message has not been taken yet.", takeIt("first")];
  if (state === "pending") {
    const fate = attempt > current ? "has not begun;" : "is over, and";
    return [`Attempt ${attempt} ${fate} the message waits to be taken again.`, takeIt("again")];
  }
  const where = `the message is at attempt ${current} and ${state}.`;
  return attempt > current
    ? [`Attempt ${attempt} has not begun; ${where}`, `If you have taken the message, answer for attempt ${current}.`]
    : [
        `Attempt ${attempt} is over; ${where}`,
        `If you took it again, answer for attempt ${current}. Otherwise leave it to the reader that did.`,
      ];
}

function takeIt(when: "first" | "again"): string {
  return `Take the message ${when}, then answer for the attempt that comes with it.`;
}

function endOf(state: DeliveryState, isCurrent: boolean, { attempt, current, wasTaken }: Attempts): string {
  if (!wasTaken) return `The message was never taken, and has ended as ${state}.`;
  if (isCurrent) return `The message has ended as ${state}; nothing was changed.`;
  const fate = attempt > current ? "never began" : "is over";
  return `Attempt ${attempt} ${fate}, and the message has ended as ${state}, with attempt ${current}.`;
}

export function afterEnd(state: DeliveryState): string {
  return state === "dead_letter"
    ? "If the work was done, nothing is left to do; if not, requeue the dead letter."
    : "A message that has ended cannot change. If the work was done, nothing is left to do.";
}
