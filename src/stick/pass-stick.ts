import { asAgentId, asRoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom, type Decide } from "../engine/commit.ts";
import { decodeFlag, decodeId, decodeToken } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { STICK_PASSED } from "../mail/rules/send.ts";
import { sendMessage } from "../mail/send-message.ts";
import { reachabilityIn } from "../room/reachability.ts";
import { presentName } from "../room/rules/alias.ts";
import type { Room } from "../room/rules/room.ts";
import { hookedSessions, raiseFlags } from "../session/hooked-sessions.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { handoffEvidence, type ReleaseStickInput } from "./release-stick.ts";
import { passStick as decidePass, mustBeWoken, type Passed } from "./rules/pass.ts";
import { withTurnEnd } from "./turn-ends.ts";

export interface PassStickInput extends ReleaseStickInput {
  /** An agent id, a handle, or a harness of which one member is active. */
  readonly toAgentId: string;
  readonly operatorRequested?: boolean;
}

const WAKING_CHARACTERS = 200;

export async function passStick(deps: Deps, caller: Caller, input: PassStickInput): Promise<Passed | Refusal> {
  const token = decodeToken(input);
  if (isRefusal(token)) return token;
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const to = decodeId("to_agent_id", input.toAgentId);
  if (isRefusal(to)) return to;
  const operatorRequested = decodeFlag("operator_requested", input.operatorRequested);
  if (isRefusal(operatorRequested)) return operatorRequested;
  const evidence = await handoffEvidence(deps, caller, roomId);
  const command = {
    ...token,
    handoff: input.handoff,
    evidence,
    operatorRequested,
  };
  const known = await lookAround(deps, roomId, to);
  let wakes: string | null = null;
  const decide: Decide<Passed | Refusal> = ({ room, aliases }, given) => {
    const knowing = { ...given, evidence: { ...given.evidence, ...known.reachability } };
    const decision = decidePass(room, knowing, { ...command, to: presentName(room, aliases, to) });
    const { answer, change } = decision;
    wakes = !isRefusal(answer) && mustBeWoken(room, knowing, answer.reservedFor) ? wakingWords(change.room) : null;
    return decision;
  };
  const passed = await changeRoom(deps, caller, input, decide, { about: known.meant });
  if (isRefusal(passed)) return withTurnEnd(deps, caller, { roomId, ...token }, passed);
  raiseFlags(deps, known.hooked, [passed.reservedFor]);
  if (wakes !== null) await wakeWith(deps, caller, { roomId: input.roomId, to: passed.reservedFor, body: wakes });
  return passed;
}

/** Who is there to be passed to: all that the name may mean, and how each of them can be reached. */
async function lookAround(deps: Deps, roomId: string, to: string) {
  const snapshot = await deps.store.readRoom(asRoomId(roomId));
  if (!snapshot) return { hooked: [], meant: [], reachability: {} };
  const { project, state } = snapshot.room;
  const names = state.members.has(asAgentId(to)) ? [asAgentId(to)] : [...state.members.keys()];
  const reachability = await reachabilityIn(deps, snapshot, names);
  return { hooked: await hookedSessions(deps, project), meant: names, reachability };
}

/**
 * What begins the turn of one who sleeps is mail: it wakes, and every harness shows it in its own way. The stick is passed
 * whatever becomes of it.
 */
async function wakeWith(
  deps: Deps,
  caller: Caller,
  { roomId, to, body }: { readonly roomId: string; readonly to: string; readonly body: string },
): Promise<void> {
  try {
    await sendMessage(deps, caller, { roomId, to, body, wake: "auto" }, { kind: STICK_PASSED, ask: null });
  } catch {
    // The stick is passed by now; its new owner finds it at its next call.
  }
}

/** Short, whatever the handoff says: all of that comes with the turn. */
function wakingWords({ path, state }: Room): string {
  const next = state.handoff?.handoff.nextAction ?? "";
  const said = next.length <= WAKING_CHARACTERS ? next : `${next.slice(0, WAKING_CHARACTERS)}…`;
  return `The stick of ${path} is passed to you. Next: ${said}`;
}
