import { flag, id, unlisted } from "../core/field.ts";
import { handoffField } from "../core/handoff.ts";
import { asAgentId, type RoomId } from "../core/ids.ts";
import { isRefusal } from "../core/refusal.ts";
import { cutTo } from "../core/visible.ts";
import { changeRoom, type Decide } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import { postAndWake } from "../mail/post-message.ts";
import { STICK_PASSED } from "../mail/rules/send.ts";
import { reachabilityIn } from "../room/reachability.ts";
import { presentName } from "../room/rules/alias.ts";
import type { Room } from "../room/rules/room.ts";
import { raiseFlagsIn } from "../session/hooked-sessions.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { afterHandingOver, checkedOutBy, type HandedOver, handedOver } from "./attach-evidence.ts";
import { afterHandOver } from "./rules/after-answer.ts";
import { passStick as decidePass, mustBeWoken, type PassAnswer } from "./rules/pass.ts";
import { withTurnEnd } from "./turn-ends.ts";

/** A letter about the stick quotes no more than that. */
export const WAKING_CHARACTERS = 200;

export const passStick = operation({
  name: "pass_stick",
  summary: "Hands the stick to one member that is waiting or receiving, with a handoff.",
  needs: { store: "change", caller: "known", room: "existing", token: true },
  input: {
    // An agent id, a handle, or a harness of which one member is active.
    toAgentId: id(),
    handoff: handoffField,
    // Only a person may.
    operatorRequested: unlisted(flag()),
  },
  instead: { to: "Did you mean to_agent_id?", target: "Did you mean to_agent_id?" },
  refusals: [
    ...(["room_closed", "turn_mismatch", "stale_lease", "invalid_handoff", "handoff_too_large"] as const),
    ...(["unknown_recipient", "ambiguous_recipient", "recipient_unreachable", "self_send", "not_authorized"] as const),
    "room_paused",
  ],
  mcp: "core",
  async run({ deps, caller, roomId, token }, { toAgentId: to, handoff, operatorRequested = false }, call) {
    const checkedOut = await checkedOutBy(deps, caller, roomId);
    const command = { ...token, handoff, checkedOut, operatorRequested };
    const known = await lookAround(deps, roomId, to);
    let wakes: string | null = null;
    let ended: HandedOver | null = null;
    const decide: Decide<PassAnswer> = ({ room, aliases }, given) => {
      const knowing = { ...given, evidence: { ...given.evidence, ...known.reachability } };
      const decision = decidePass(room, knowing, { ...command, to: presentName(room, aliases, to) });
      const { answer, change } = decision;
      ended = handedOver(deps, change.room);
      wakes = !isRefusal(answer) && mustBeWoken(room, knowing, answer.reservedFor) ? wakingWords(change.room) : null;
      return decision;
    };
    const passed = await changeRoom(deps, caller, { roomId }, decide, { about: known.meant });
    if (isRefusal(passed)) return withTurnEnd(deps, caller, { roomId, ...token }, passed);
    call.turns?.over(caller, roomId);
    // The recipient may begin to write as soon as it is awake, so git is asked without waiting for that.
    const attached = afterHandingOver(deps, ended, call);
    const { reservedFor } = passed;
    const tell = async (body: string | null) => {
      await raiseFlagsIn(deps, known.project, [reservedFor]);
      if (body !== null) await wakeWith(deps, caller, { roomId, to: reservedFor, body });
    };
    await Promise.all([attached, tell(wakes)]);
    return passed;
  },
  next: () => afterHandOver,
});

/** The possible recipients: all members that the name may mean, and how each of them can be reached. */
export async function lookAround(deps: Deps, roomId: RoomId, to: string) {
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return { project: "", meant: [], reachability: {} };
  const { project, state } = snapshot.room;
  const names = state.members.has(asAgentId(to)) ? [asAgentId(to)] : [...state.members.keys()];
  return { project, meant: names, reachability: await reachabilityIn(deps, snapshot, names) };
}

/**
 * A sleeping recipient is woken by mail, which every harness shows in its own way. The stick is passed even if the wake
 * fails.
 */
export async function wakeWith(
  deps: Deps,
  caller: Caller,
  { roomId, to, body }: { readonly roomId: RoomId; readonly to: string; readonly body: string },
): Promise<void> {
  try {
    await postAndWake(deps, caller, roomId, { to, body, wake: "auto" }, { kind: STICK_PASSED, ask: null });
  } catch {
    // The stick is passed by now; its new owner finds it at its next call.
  }
}

/** Short: the handoff itself comes with the turn. */
function wakingWords({ path, state }: Room): string {
  const next = state.handoff?.handoff.nextAction ?? "";
  return `The stick of ${path} is passed to you. Next: ${cutTo(next, WAKING_CHARACTERS)}`;
}
