import type { AgentId } from "../../core/ids.ts";
import type { Next } from "../../core/next.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { isHeldBack, roomClosed } from "../../room/rules/refusals.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { takeover } from "./after-answer.ts";
import { takeoverGround } from "./grant.ts";

type RequestRefusal = "room_closed" | "self_send" | "unknown_recipient" | "recipient_unreachable";

/** The holder to ask for the stick. If there is none, the refusal says how to get the stick instead. */
export function holderToAsk(room: Room, given: Given, ownNames: readonly AgentId[]): AgentId | Refusal<RequestRefusal> {
  const { status, owner, reservation } = room.state;
  if (status === "closed") return roomClosed(room, given.caller);
  if (owner !== null && ownNames.includes(owner)) return alreadyHolds();
  if (owner !== null) return takeoverGround(room, given) === "owner_gone" ? holderIsGone(owner, room, given) : owner;
  if (isHeldBack(room, given.caller)) {
    return nobodyHolds(
      "Nobody holds the stick, and the room is paused.",
      ["Wait for your turn: ", { do: "wait_for_turn" }],
      null,
    );
  }
  const reservedFor = reservation?.agentId ?? null;
  if (reservedFor === null) {
    return nobodyHolds(
      "Nobody holds the stick: it is free.",
      ["Take it: ", { do: "wait_for_turn", with: { max_wait_ms: 0 } }],
      null,
    );
  }
  if (ownNames.includes(reservedFor)) {
    return nobodyHolds("The stick is reserved for you.", ["Take it: ", { do: "wait_for_turn" }], reservedFor);
  }
  return nobodyHolds(
    `Nobody holds the stick: it is reserved for ${reservedFor}, who has not taken it yet.`,
    [
      "Wait for your turn: ",
      { do: "wait_for_turn" },
      ". If it is not taken in time, it goes to the next in the queue.",
    ],
    reservedFor,
  );
}

function nobodyHolds(message: string, next: Next, reservedFor: AgentId | null): Refusal<"unknown_recipient"> {
  return refuse("unknown_recipient", message, next, reservedFor === null ? {} : { reserved_for: reservedFor });
}

function holderIsGone(owner: AgentId, room: Room, { caller }: Given): Refusal<"recipient_unreachable"> {
  const next: Next = isHeldBack(room, caller)
    ? ["The room is paused, so no agent may take the stick over. Wait for your turn: ", { do: "wait_for_turn" }]
    : ["Take the stick over, and say why: ", takeover(room.state.turnId)];
  return refuse(
    "recipient_unreachable",
    `${owner} holds the stick, but its process is gone: it would not read your request.`,
    next,
    { current_owner: owner },
  );
}

function alreadyHolds(): Refusal<"self_send"> {
  return refuse("self_send", "You hold the stick already.", "Go on working, and release it when you are done.");
}
