/**
 * Each of these hooks ends the mark of its session. A prompt, or the end of a turn, at which nothing was to do leaves
 * another one. See src/platform/agents/quiet-files.ts for the order of the steps.
 */
import { sessionAgentId } from "../core/agent-id.ts";
import type { QuietPermit } from "../engine/ports/activity.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type HookDeps, type HookOutcome, placeOf } from "./hook-deps.ts";
import type { HookCall } from "./rules/hook.ts";
import { LOOKS, mayBeQuiet } from "./rules/quiet.ts";
import { ownRows } from "./server-news.ts";

export async function leavingQuiet(
  deps: HookDeps,
  { caller, call, told }: { readonly caller: Caller; readonly call: HookCall; readonly told: HookCall },
  answer: () => Promise<HookOutcome>,
): Promise<HookOutcome> {
  const { quiet } = deps;
  if (!quiet) return answer();
  const own = sessionAgentId(told.harness, told.sessionId, deps.digest);
  // A session that has another name now, or another id than its harness says, always starts the program.
  const isItself = caller.agentId === own && call.sessionId === told.sessionId;
  const permit = isItself && LOOKS.includes(call.event) ? quiet.open(own) : null;
  if (permit === null) for (const name of new Set([own, caller.agentId])) quiet.close(name);
  const outcome = await answer();
  if (permit === null || !outcome.foundNothing) return outcome;
  return {
    ...outcome,
    afterFlush: async () => {
      await outcome.afterFlush?.();
      await leaveMark(deps, caller, call, permit);
    },
  };
}

async function leaveMark(deps: HookDeps, caller: Caller, call: HookCall, permit: QuietPermit): Promise<void> {
  const { agentId } = caller;
  const { calledBy, cwd, event, sessionId, sign } = call;
  const place = await placeOf(deps, call);
  if (calledBy === undefined || cwd === null || place === null) return;
  const { rooms } = await deps.store.readRooms({ agentId });
  const { window } = await deps.store.readMailbox(agentId, { kind: "messages", ids: [] });
  if (!mayBeQuiet({ event, agentId, rooms, box: window.box, candidates: place.candidates })) return;
  const servers = (await ownRows(deps, caller, place.project)).flatMap((row) => row.servers.map(({ pid }) => pid));
  deps.quiet?.leave({ sessionId, permit, cwd, calledBy, servers, turn: sign.turn });
}
