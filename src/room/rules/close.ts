import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { begin, type Decision, record, withRoom } from "./change.ts";
import { stateOf } from "./derived-state.ts";
import { notAuthorized, stickFacts } from "./refusals.ts";
import type { Room } from "./room.ts";
import { settle } from "./settle.ts";

export interface Closed {
  readonly status: "closed";
}

/** A person closes the room. While another live owner holds the stick, the person must ask for it explicitly. */
export function closeRoom(
  room: Room,
  given: Given,
  command: { readonly operatorRequested: boolean; readonly reason?: string | null },
): Decision<Closed | Refusal<"not_authorized">> {
  const settled = settle(begin(room), given);
  const { state } = settled.room;
  if (!given.caller.isPerson) return { change: settled, answer: notAuthorized("close a room", "leave the room open") };
  if (state.status === "closed") return { change: settled, answer: { status: "closed" } };
  const heldByOther = stateOf(settled.room, given) === "owned" && state.owner !== given.caller.agentId;
  if (heldByOther && !command.operatorRequested) {
    return {
      change: settled,
      answer: refuse(
        "not_authorized",
        `${state.owner} holds the stick, so the room stays open.`,
        [
          "Wait for the release, or close it with ",
          { shell: "--operator-requested", server: "operator_requested" },
          " to revoke the turn.",
        ],
        stickFacts(settled.room, given),
      ),
    };
  }
  const details = { from: given.caller.agentId, reason: command.reason ?? null };
  const recorded = record(settled, given, "close", { revokedAgentId: state.owner }, details);
  const change = withRoom(recorded, { lease: null, claimDeadline: null, cooldown: null, waits: new Map() });
  return { change, answer: { status: "closed" } };
}
