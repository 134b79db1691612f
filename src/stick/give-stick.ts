import { flag, id, integer, optional } from "../core/field.ts";
import { reasonField } from "../core/handoff.ts";
import type { AgentId } from "../core/ids.ts";
import { isRefusal } from "../core/refusal.ts";
import { cutTo } from "../core/visible.ts";
import { changeRoom, type Decide } from "../engine/commit.ts";
import { operation } from "../engine/operation.ts";
import { presentName } from "../room/rules/alias.ts";
import { alivenessIn } from "../room/rules/liveness.ts";
import type { Room } from "../room/rules/room.ts";
import { raiseFlagsIn } from "../session/hooked-sessions.ts";
import type { Given } from "../session/rules/decision-input.ts";
import { lookAround, WAKING_CHARACTERS, wakeWith } from "./pass-stick.ts";
import { giveStick as decideGive, type GiveAnswer, type StickGiven } from "./rules/give.ts";
import { reasonOrNull } from "./rules/turn-end-text.ts";

export const giveStick = operation({
  name: "give_stick",
  summary: "Hands the stick to one member, also while another holds it; only for a person.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {
    // An agent id, a handle, or a harness of which one member is active.
    toAgentId: id(),
    reason: optional(reasonField("why; the recipient and the former holder are told")),
    operatorRequested: optional(flag("also while another member holds the stick and is active")),
    expectedTurnId: optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  },
  refusals: [
    ...(["not_authorized", "room_closed", "unknown_recipient", "ambiguous_recipient"] as const),
    ...(["recipient_unreachable", "takeover_ineligible", "target_active", "turn_mismatch"] as const),
  ],
  mcp: "none",
  async run(
    { deps, caller, roomId },
    { toAgentId: to, reason = null, operatorRequested = false, expectedTurnId = null },
  ) {
    const known = await lookAround(deps, roomId, to);
    let letter: string | null = null;
    const decide: Decide<GiveAnswer> = ({ room, aliases, handles }, given) => {
      const knowing = { ...given, evidence: { ...given.evidence, ...known.reachability } };
      const wanted = { to: presentName(room, aliases, to), reason, operatorRequested, expectedTurnId };
      const decision = decideGive(room, knowing, handles, wanted);
      const { answer } = decision;
      letter = isRefusal(answer) || hearsOfIt(room, knowing, answer.reservedFor) ? null : words(room, answer, reason);
      return decision;
    };
    const given = await changeRoom(deps, caller, { roomId }, decide, { about: known.meant });
    if (isRefusal(given)) return given;
    await raiseFlagsIn(deps, known.project, [given.reservedFor]);
    if (letter !== null) await wakeWith(deps, caller, { roomId, to: given.reservedFor, body: letter });
    return given;
  },
});

/** Whether it learns of its turn without a letter: it waits or works with hooks, or it is the person who gives. */
function hearsOfIt(room: Room, given: Given, recipient: AgentId): boolean {
  return recipient === given.caller.agentId || alivenessIn(room, recipient, given).isListening;
}

/** Short: the last handoff comes with the turn. */
function words({ path, state }: Room, { paused }: StickGiven, reason: string | null): string {
  const why = reasonOrNull(reason);
  const next = state.handoff?.handoff.nextAction ?? null;
  return [
    `A person gave you the stick of ${path}.`,
    ...(paused ? ["The room is paused: you get your turn when it is resumed."] : []),
    ...(why !== null ? [`Reason: ${cutTo(why, WAKING_CHARACTERS)}`] : []),
    ...(why === null && next !== null ? [`Next: ${cutTo(next, WAKING_CHARACTERS)}`] : []),
  ].join(" ");
}
