import { optional, text } from "../core/field.ts";
import { isFilled } from "../core/handoff.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { lookAtRoom, ownNames } from "../engine/evidence.ts";
import { operation } from "../engine/operation.ts";
import type { AddresseeRefusal } from "../mail/find-addressee.ts";
import { type PostRefusal, postAndWake, type SentAnswer } from "../mail/post-message.ts";
import type { ProvenanceRefusal } from "../mail/rules/provenance.ts";
import { afterSendToSilent } from "../mail/rules/silent-machine.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import { holderToAsk } from "./rules/request.ts";

/** A request asks no question, cites no message, has no id of its own, and names a member of this room by its id. */
type NeverRefused =
  | "would_deadlock"
  | ProvenanceRefusal
  | "msg_id_conflict"
  | Exclude<AddresseeRefusal, "unknown_recipient">;

export const requestStick = operation({
  name: "request_stick",
  summary:
    "Asks the holder for the stick, politely: an interrupting message that the holder answers by releasing, passing or replying.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {
    why: text(Number.POSITIVE_INFINITY),
    // What is too long together is refused with the message.
    needs: optional(text(Number.POSITIVE_INFINITY)),
  },
  refusals: [
    "room_closed",
    "self_send",
    "unknown_recipient",
    "recipient_unreachable",
    "invalid_body",
    "message_too_large",
    "rate_limited",
  ],
  mcp: "gateway",
  async run({ deps, caller, roomId }, { why, needs = "" }) {
    const snapshot = await deps.store.readRoom(roomId);
    if (!snapshot) return roomNotFound(roomId);
    const given = await lookAtRoom(deps, snapshot, { caller, about: [] });
    const holder = holderToAsk(snapshot.room, given, ownNames(caller));
    if (isRefusal(holder)) return holder;
    if (!isFilled(why)) return refuse("invalid_body", "A request needs a reason.", "Say why you need the stick now.");
    const body = needs.trim() === "" ? why : `${why}\n\nNeeds: ${needs}`;
    const message = { body, to: holder, deliveryHint: "interrupt" } as const;
    const sent = postAndWake(deps, caller, roomId, message, { kind: "stick_request", ask: null });
    return sent as Promise<SentAnswer | Refusal<Exclude<PostRefusal, NeverRefused>>>;
  },
  next: ({ deliveries }) => afterSendToSilent(deliveries, TAKE_OVER),
});

const TAKE_OVER = ["If it stays away, a wait for your turn offers you the stick: ", { do: "wait_for_turn" }] as const;
