/**
 * A process of ours inside a harness asks whether its idle session is to be woken, and begins a turn with the words that
 * it is given. The mail comes with that turn's prompt, and only that proves that the session was woken; until then the
 * claim is that of the process which asks, and lapses if the prompt does not come.
 */
import { wakeTextFor } from "../mail/rules/wake-status.ts";
import { claimOwnWake } from "../wake/claim-own-wake.ts";
import { type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";

export const wake: HookUseCase = async (deps, { agentId }, call) => {
  const place = await placeOf(deps, call);
  const waker = call.wakerPid === undefined ? null : deps.probe.find(call.wakerPid);
  if (!place || !waker) return SILENCE;
  // The process that asks is the way, and it needs no other.
  const ways = { mode: deps.wakeMode, hasInbox: () => false };
  const claim = await claimOwnWake(deps, ways, { agentId, project: place.project, waker });
  if (claim === null || claim === "busy") return SILENCE;
  deps.trace?.wake({ agentId, by: "waker", messageId: null, steps: ["the plugin begins a turn"], status: "trying" });
  return { goOn: wakeTextFor(claim, deps.clock.now().wallMs) };
};
