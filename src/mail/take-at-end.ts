/**
 * A last look at the mailbox, when a call that receives is registered no more: what came after its own last look comes,
 * too, because its senders were told that it is seen now. It is a transaction even if there is nothing: a sender who saw
 * the call in its last moment may be about to commit, and a mere read would not wait for that.
 */

import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { decodeTake, type TakeMessagesInput, type TakenMessages, take } from "./take-messages.ts";

/** Null where the store fails: what the call has to say is worth more, and the mail comes by the next door. */
export function takeAtEnd(deps: Deps, caller: Caller, input: TakeMessagesInput): Promise<TakenMessages | null> {
  return ignoringFaults(async () => {
    const command = await decodeTake(deps, input);
    return isRefusal(command) ? null : take(deps, caller, command);
  });
}
