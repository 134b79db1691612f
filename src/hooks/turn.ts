/** What hooks do within a turn and at its end. */
import { wakeTextFor } from "../mail/rules/wake-status.ts";
import { noteSession } from "../session/note-session.ts";
import { claimOwnWake } from "../wake/claim-own-wake.ts";
import { lateArrival } from "./auto-join.ts";
import { type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { settleWhatWasShown, whatWaits } from "./pending-for-session.ts";

/** A tool is about to be used, or has been: mail comes in between, and a session that is no longer alone joins. */
export const tool: HookUseCase = async (deps, caller, call) => {
  if (call.maxCharacters === 0) {
    // What the model would not be shown must not be taken.
    await settleWhatWasShown(deps, caller, call);
    return SILENCE;
  }
  const { text: context, afterFlush, late } = await whatWaits(deps, caller, call);
  if (context !== "" || late) return { context, afterFlush, late };
  // The flag was not raised for mail; most likely another session has joined.
  const place = await placeOf(deps, call);
  const arrival = place ? await lateArrival(deps, caller, place) : SILENCE;
  return { ...arrival, afterFlush };
};

/**
 * A subagent begins or ends, where only the tool that runs it shows that. Its parent waits for it, so the tools that
 * are used in between are the subagent's, and nothing is shown to them.
 */
export const subagentStart: HookUseCase = async ({ subagents }, _, { sessionId }) => {
  subagents.began(sessionId);
  return SILENCE;
};

/** Waiting mail comes with the subagent's answer to its parent, unless another subagent is still at work. */
export const subagentEnd: HookUseCase = async (deps, caller, call) => {
  const { subagents } = deps;
  subagents.ended(call.sessionId);
  return subagents.areAtWork(call.sessionId) ? SILENCE : tool(deps, caller, call);
};

/**
 * The model has finished. If something waits for it, the turn goes on once to show it. A turn that already goes on for
 * a hook ends in any case, so that no session is kept busy without end.
 */
export const stop: HookUseCase = async (deps, caller, call) => {
  const mayGoOn = !call.stopHookActive && call.maxCharacters > 0 && call.sign.event !== "broke_off";
  const waiting = mayGoOn ? await whatWaits(deps, caller, call) : null;
  if (waiting === null) await settleWhatWasShown(deps, caller, call);
  else if (waiting.late || waiting.text !== "") {
    const { text: goOn, afterFlush, late } = waiting;
    return { goOn, afterFlush, late };
  }
  const place = await placeOf(deps, call);
  if (place)
    await noteSession(deps, caller, place.project, {
      activity: "idle",
      hooked: true,
      ...(call.sign.turn !== null && { turn: call.sign.turn }),
    });
  return waiting ? { afterFlush: waiting.afterFlush } : SILENCE;
};

/** The turn ended without an answer: what was shown in it comes again with the next prompt, and the session is idle. */
export const turnBroken: HookUseCase = async (deps, caller, call) => {
  await settleWhatWasShown(deps, caller, call);
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, caller, place.project, { activity: "idle", hooked: true });
  return SILENCE;
};

/**
 * A process of ours inside a harness asks whether its idle session is to be woken, and begins a turn with the words
 * that it is given. The mail comes with that turn's prompt, and only that proves that the session was woken; until then
 * the claim is that of the process which asks, and lapses if the prompt does not come.
 */
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
