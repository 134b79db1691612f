/**
 * Waiting for the turn, with mail: the answer of a call that waited brings what came meanwhile. Senders are told that such
 * a waiter sees their mail now, so whatever ends the call, the mailbox is looked at once more after the wait is over. A
 * call that was answered at once waited for nothing, and takes no mail. A subagent gets none: it is its agent's.
 */

import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { takeAtEnd } from "../mail/take-at-end.ts";
import { type InFlight, type MyMessages, NOTHING_IN_FLIGHT } from "../mail/take-messages.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { TurnAnswer } from "./rules/answers.ts";
import { type WaitForTurnInput, waitForTurn } from "./wait-for-turn.ts";

export type WaitedAnswer = TurnAnswer & Partial<Pick<MyMessages, "messages" | "remaining">>;

/** The messages in the answer are in flight until it is out. */
export interface Waited extends InFlight {
  readonly answer: WaitedAnswer;
  /** Whether some of the mail that remains can be read at once. */
  readonly moreIsReady: boolean;
}

export async function waitWithMail(
  deps: Deps,
  caller: Caller,
  input: Omit<WaitForTurnInput, "enough">,
): Promise<Waited | Refusal> {
  const { wakeOnMessage = true, takesMail: isWanted = true } = input;
  const takesMail = isWanted && wakeOnMessage && caller.facts?.isSubagent !== true;
  let hasWaited = false;
  const answer = await waitForTurn(deps, caller, {
    ...input,
    takesMail,
    onLook: (seen) => {
      hasWaited = true;
      input.onLook?.(seen);
    },
  });
  if (isRefusal(answer)) return answer;
  const isOver = input.signal?.aborted === true;
  const taken = takesMail && hasWaited && !isOver ? await takeAtEnd(deps, caller, { transport: "wait" }) : null;
  if (taken === null || taken.answer.count === 0) return { answer, moreIsReady: false, ...NOTHING_IN_FLIGHT };
  const { messages, remaining } = taken.answer;
  const { moreIsReady, confirm, extend, giveBack, inflightTimeoutMs } = taken;
  const unread = answer.status === "not_yet" ? { unread: remaining } : {};
  return {
    answer: { ...answer, ...unread, messages, remaining },
    moreIsReady,
    confirm,
    extend,
    giveBack,
    inflightTimeoutMs,
  };
}
