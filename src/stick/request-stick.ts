import { asRoomId } from "../core/ids.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { decodeId, decodeText } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, givenFor, ownNames } from "../engine/evidence.ts";
import { type SentAnswer, sendMessage } from "../mail/send-message.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { holderToAsk } from "./rules/request.ts";

/** The polite way to the stick: whoever holds it is asked for it, and decides. */
export async function requestStick(
  deps: Deps,
  caller: Caller,
  input: { readonly roomId: string; readonly why: string; readonly needs?: string },
): Promise<SentAnswer | Refusal> {
  const decoded = decodeId("room_id", input.roomId);
  if (isRefusal(decoded)) return decoded;
  const snapshot = await deps.store.readRoom(asRoomId(decoded));
  if (!snapshot) return roomNotFound(input.roomId);
  const { room, moment } = snapshot;
  const evidence = gatherEvidence(deps, room, moment, room.state.owner === null ? [] : [room.state.owner]);
  const holder = holderToAsk(room, givenFor(deps, caller, moment, evidence), ownNames(caller));
  if (isRefusal(holder)) return holder;
  if (typeof input.why !== "string" || input.why.trim() === "") {
    return refuse("invalid_body", "A request needs a reason.", "Say why you need the stick now.");
  }
  // What is too long together is refused with the message.
  const needs = decodeText("needs", input.needs ?? "", Number.POSITIVE_INFINITY);
  if (isRefusal(needs)) return needs;
  const body = needs.trim() === "" ? input.why : `${input.why}\n\nNeeds: ${needs}`;
  const message = { roomId: input.roomId, body, to: holder, deliveryHint: "interrupt" } as const;
  return sendMessage(deps, caller, message, { kind: "stick_request", ask: null });
}
