/** Messages for one agent or for the room. */
import { alsoNamed, choice, id, idOf, optional, shaped, text } from "../core/field.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { operation } from "../engine/operation.ts";
import { type Letter, postAndWake } from "./post-message.ts";
import { roomToSendFrom, type SendingRoomRefusal } from "./room-to-send-from.ts";
import { afterSendToSilent } from "./rules/silent-machine.ts";

const HINTS = ["normal", "interrupt"] as const;

/** The names of other tools for the same field are accepted. */
export const RECIPIENT = alsoNamed(text(Number.POSITIVE_INFINITY), "to_agent_id", "target");
// The room's own limit is judged with the room.
export const BODY = text(Number.POSITIVE_INFINITY);
export const MSG_ID = optional(id());

/** What every way of sending may refuse. */
export const POST_REFUSALS = [
  "unknown_recipient",
  "cross_project",
  "self_send",
  "room_closed",
  "invalid_body",
  "message_too_large",
  "msg_id_conflict",
  "rate_limited",
] as const;

/** What sending to a name may refuse. */
export const SEND_REFUSALS = [...POST_REFUSALS, "ambiguous_recipient"] as const;

export const sendMessage = operation({
  name: "send_message",
  summary:
    "Sends a durable message to an agent (id, handle, session) or to the room. The answer says when each recipient will see it. It grants nobody the right to write. To wait for an answer use ask_peer.",
  needs: { store: "change", caller: "known", room: "found" },
  input: {
    body: BODY,
    to: optional({ ...RECIPIENT, schema: { type: "string", description: "default: room" } }),
    deliveryHint: optional(shaped({ type: "string", enum: HINTS }, (_, raw) => raw)),
    replyTo: optional(idOf("message")),
    sourceMessageId: optional(idOf("message", "the message you forward")),
    wake: optional(choice(["off", "auto"])),
    msgId: optional(id("repeat it to send once")),
  },
  refusals: [...SEND_REFUSALS, "invalid_delivery_hint", "message_not_found", "not_your_message", "hops_exhausted"],
  mcp: "core",
  async run({ deps, caller, ...search }, { deliveryHint = "normal", ...rest }) {
    const hint = HINTS.find((known) => known === deliveryHint);
    if (hint === undefined) return unknownHint(deliveryHint);
    const letter: Letter = { ...rest, deliveryHint: hint };
    const place = await roomToSendFrom(deps, caller, search, letter);
    // Only a question can close a circle of questions.
    if (isRefusal(place)) return place as Refusal<Exclude<SendingRoomRefusal, "would_deadlock">>;
    return postAndWake(deps, caller, place.roomId, letter);
  },
  next: ({ deliveries }) => afterSendToSilent(deliveries),
});

function unknownHint(hint: unknown): Refusal<"invalid_delivery_hint"> {
  return refuse(
    "invalid_delivery_hint",
    `There is no delivery hint ${String(hint)}.`,
    "Give normal or interrupt, or leave it out.",
  );
}
