/**
 * Waiting for mail. While a reply is left to an ask, the wait looks now and then whether the asking process still lives.
 */

import type { AgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal, type RefusalCode, refuse } from "../core/refusal.ts";
import { after } from "../core/time.ts";
import { decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { refuseLeftover } from "../engine/refuse-leftover.ts";
import { renewLeases } from "../engine/renew-leases.ts";
import { type LookReason, waitUntil } from "../engine/wait-until.ts";
import { adoptMail } from "../session/adopt-provisional.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type Peeked, type PeekMessagesInput, peekMessages } from "./peek-messages.ts";
import { decodeTake, type TakeMessagesInput, type TakenMessages, take, takeIfAny } from "./take-messages.ts";

export type ReceiveRefusal = "invalid_input" | "not_authorized" | "session_ended";

export interface ReceiveInput extends TakeMessagesInput {
  /** How long to wait for a first message; without it, for as long as a wait may last. */
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
  /** True for the further calls of one stream: that it is open is no new sign of life of its opener. */
  readonly goesOn?: boolean;
}

/** Resolves with the first messages, or with none when the time is up or the call was cancelled. */
export async function receiveMessages(
  deps: Deps,
  caller: Caller,
  input: ReceiveInput,
): Promise<TakenMessages | Refusal<ReceiveRefusal>> {
  const refused = refuseSubagent(caller);
  if (refused) return refused;
  const command = await decodeTake(deps, input);
  if (isRefusal(command)) return command;
  if (input.goesOn !== true) {
    await adoptMail(deps, caller);
    await renewLeases(deps, caller);
  }
  return untilThere(deps, caller, input, {
    name: caller.agentId,
    // Where nothing rang there is probably nothing, and a look that finds nothing must not change anything.
    look: (reason) => (reason === "stirred" ? takeIfAny : take)(deps, caller, command),
    count: ({ answer }) => answer.count,
    changesInMs: ({ nextDueMs }) => nextDueMs,
    // A session may end while one of its processes waits.
    refusal: () => refuseLeftover(deps, caller),
  });
}

export interface AwaitPeekInput extends PeekMessagesInput {
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
}

/** The same for a caller that only looks. */
export function awaitPeek(deps: Deps, caller: Caller, input: AwaitPeekInput): Promise<Peeked | Refusal> {
  return untilThere(deps, caller, input, {
    // A bell of its own would be a trace in the store, and a caller that only looks leaves none.
    name: "all",
    look: () => peekMessages(deps, caller, input),
    count: (seen) => seen.count,
    // Time alone brings nothing new: mail that backs off is seen all the while.
    changesInMs: () => Number.POSITIVE_INFINITY,
    refusal: () => null,
  });
}

interface Sight<Seen, Code extends RefusalCode> {
  readonly name: AgentId | "all";
  readonly look: (reason: LookReason) => Promise<Seen | Refusal<Code>>;
  readonly count: (seen: Seen) => number;
  /** When time alone may bring something into sight. */
  readonly changesInMs: (seen: Seen) => number;
  readonly refusal: () => Refusal<Code> | null;
}

async function untilThere<Seen extends object, Code extends RefusalCode>(
  deps: Deps,
  caller: Caller,
  input: { readonly maxWaitMs?: number; readonly signal?: AbortSignal },
  { name, look, count, changesInMs, refusal }: Sight<Seen, Code>,
): Promise<Seen | Refusal<Code | "invalid_input" | "session_ended">> {
  const longest = LIMITS.waitMs;
  const maxWaitMs = decodeInteger("max_wait_ms", input.maxWaitMs ?? longest, { min: 0, max: longest });
  if (isRefusal(maxWaitMs)) return maxWaitMs;
  const last: { seen?: Seen } = {};
  const ended = await waitUntil<Seen | Refusal<Code>>(deps, {
    name,
    caller,
    until: after(deps.clock.now().instant, maxWaitMs),
    cancel: input.signal,
    look: async (reason) => {
      const seen = refusal() ?? (await look(reason));
      if (isRefusal(seen) || count(seen) > 0) return { found: seen };
      last.seen = seen;
      return { changesInMs: changesInMs(seen) };
    },
  });
  if ("found" in ended) return ended.found;
  return ended.end === "session_ended" ? ended.refusal : (last.seen ?? look("stirred"));
}

/** A subagent takes no mail, so a wait for mail would give it the same message again and again. Null for every other. */
export function refuseSubagent({ facts }: Caller): Refusal<"not_authorized"> | null {
  if (!facts?.isSubagent) return null;
  return refuse("not_authorized", "A subagent cannot wait for mail: the mail belongs to the main agent.", [
    "Leave mail to the main agent, or look once: ",
    { do: "read_my_messages" },
  ]);
}
