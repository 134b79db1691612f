import { idOf } from "../core/field.ts";
import type { EventId } from "../core/ids.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { operation } from "../engine/operation.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { changeMailbox } from "./change-mailbox.ts";
import { postAndWake, type SentAnswer } from "./post-message.ts";
import { roomToSendFrom, type SendingRoomRefusal } from "./room-to-send-from.ts";
import { ackAnswered } from "./rules/acknowledge.ts";
import type { MessageSent } from "./rules/message.ts";
import { messageNotFound } from "./rules/message-not-found.ts";
import { afterSendToSilent } from "./rules/silent-machine.ts";
import { BODY, MSG_ID, POST_REFUSALS } from "./send-message.ts";

/** A reply asks no question, forwards nothing, and its recipient is exact. */
type ReplyRefused = Refusal<Exclude<SendingRoomRefusal, "would_deadlock" | "hops_exhausted" | "ambiguous_recipient">>;

/** Answers a message: its sender, the reference and, unless it is given, the room are filled in. */
export const replyToMessage = operation({
  name: "reply_to_message",
  summary: "Answers a message you received; its sender gets the reply.",
  needs: { store: "change", caller: "known", room: "found" },
  input: { messageId: idOf("message"), body: BODY, msgId: MSG_ID },
  refusals: [...POST_REFUSALS, "message_not_found", "not_your_message"],
  mcp: "core",
  async run({ deps, caller, wanted, isAbout }, { messageId, body, msgId }) {
    const [cited] = await deps.store.readMessages([messageId]);
    const said = { body, ...(msgId !== undefined && { msgId }) };
    // A caller without a directory answers from the room of the message.
    const roomId = wanted.roomId ?? (wanted.contextPath === "" ? cited?.roomId : undefined);
    const search = { wanted: { ...wanted, roomId }, isAbout };
    const place =
      cited || roomId !== undefined
        ? await roomToSendFrom(deps, caller, search, { ...said, answers: messageId })
        : messageNotFound(messageId);
    if (isRefusal(place)) return place as ReplyRefused;
    if (!cited) return messageNotFound(messageId);
    const to = await senderOf(deps, caller, cited);
    if (isRefusal(to)) return to;
    const sent = await postAndWake(deps, caller, place.roomId, { ...said, to, replyTo: messageId });
    if (!isRefusal(sent)) await endsUnread(deps, caller, messageId);
    return sent as SentAnswer | ReplyRefused;
  },
  next: ({ deliveries }) => afterSendToSilent(deliveries),
});

/** What was answered need not be read again. Only the main agent's mailbox counts, so a subagent changes nothing. */
async function endsUnread(deps: Deps, caller: Caller, messageId: EventId): Promise<void> {
  if (caller.facts?.isSubagent) return;
  const look = { kind: "messages", ids: [messageId] } as const;
  // The answer is sent. If this fails, or the power does, the message is read once more.
  await ignoringFaults(() =>
    changeMailbox(deps, caller, look, (window, given) => ackAnswered(window, given, messageId), {
      waitsForDisk: "nothing",
    }),
  );
}

async function senderOf(
  { store }: Deps,
  caller: Caller,
  { fromAgentId }: MessageSent,
): Promise<string | Refusal<"unknown_recipient" | "self_send">> {
  if (fromAgentId === null) {
    return refuse("unknown_recipient", "This message has no sender.", "It needs no answer.", {
      candidates: [],
    });
  }
  const sender = await store.resolveAlias(fromAgentId);
  if (!ownNames(caller).includes(sender)) return sender;
  return refuse("self_send", "You sent this message yourself.", "It needs no answer.");
}
