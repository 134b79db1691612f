/** What hooks do within a turn and at its end. */
import type { Place } from "../engine/ports/workspace.ts";
import { wakeTextFor } from "../mail/rules/wake-status.ts";
import { noteSession } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { claimOwnWake } from "../wake/claim-own-wake.ts";
import { lateArrival } from "./auto-join.ts";
import { type HookDeps, type HookOutcome, type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { settleWhatWasShown, whatWaits } from "./pending-for-session.ts";
import type { HookMail } from "./waiting-mail.ts";

/** Perhaps no hook reported that the turn began. */
const RESTS = { activity: "idle", begins: true, hooked: true } as const;

/** A tool is about to be used, or has been: mail comes in between, and a session that is no longer alone joins. */
export const tool: HookUseCase = async (deps, caller, call) => {
  if (call.maxCharacters === 0) {
    // Mail that the harness would not show to the model must not be taken.
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
 * A subagent begins or ends, in a harness where only the tool that runs it shows that. The parent waits for the
 * subagent. So the tools that are used in between belong to the subagent, and nothing is shown there.
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
  const place = await placeOf(deps, call);
  const flag = deps.flags.look(call.sessionId);
  const waiting = mayGoOn ? await whatWaits(deps, caller, call) : null;
  if (waiting === null) await settleWhatWasShown(deps, caller, call);
  else if (waiting.late || waiting.text !== "") return goingOn(deps, caller, place, waiting);
  const { turn } = call.sign;
  const news = { ...RESTS, ...(turn !== null && { turn }) };
  const isNoted = place !== null && (await noteSession(deps, caller, place.project, news));
  if (waiting === null) return SILENCE;
  const flagNow = deps.flags.look(call.sessionId);
  if (place === null || flagNow === null || flagNow === flag) {
    return { afterFlush: waiting.afterFlush, foundNothing: isNoted };
  }
  // Mail that came before the note was sent to a busy session, which is not woken.
  return goingOn(deps, caller, place, await whatWaits(deps, caller, call));
};

/**
 * The session was perhaps noted as idle, by this hook or by its shell. It is noted as busy only once the text has left:
 * until then the note could fail, and mail that was taken would stay unsaid.
 */
function goingOn(deps: HookDeps, caller: Caller, place: Place | null, waiting: HookMail): HookOutcome {
  const { text: goOn, late } = waiting;
  const afterFlush = async () => {
    await waiting.afterFlush();
    if (goOn !== "" && place) await noteSession(deps, caller, place.project, { activity: "busy" });
  };
  return { goOn, afterFlush, late };
}

/** The turn ended without an answer: what was shown in it comes again with the next prompt, and the session is idle. */
export const turnBroken: HookUseCase = async (deps, caller, call) => {
  await settleWhatWasShown(deps, caller, call);
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, caller, place.project, RESTS);
  return SILENCE;
};

/**
 * A process of ours inside a harness asks whether to wake its idle session, and begins a turn with the words that it
 * gets. The mail comes with the prompt of that turn, and only that proves that the session was woken. Until then the
 * asking process has the claim, which lapses if the prompt does not come.
 */
export const wake: HookUseCase = async (deps, { agentId }, call) => {
  const place = await placeOf(deps, call);
  const waker = call.wakerPid === undefined ? null : deps.probe.find(call.wakerPid);
  if (!place || !waker) return SILENCE;
  // The asking process itself wakes the session, so no other way is needed.
  const ways = { mode: deps.wakeMode, hasInbox: () => false };
  const claim = await claimOwnWake(deps, ways, { agentId, project: place.project, waker });
  if (claim === null || claim === "busy") return SILENCE;
  deps.trace?.wake({ agentId, by: "waker", messageId: null, steps: ["the plugin begins a turn"], status: "trying" });
  return { goOn: wakeTextFor(claim, deps.clock.now().wallMs) };
};
