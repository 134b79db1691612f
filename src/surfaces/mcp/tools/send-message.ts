import * as z from "zod";
import { invalidInput, isRefusal, type Refusal } from "../../../core/refusal.ts";
import type { Outgoing } from "../../../mail/room-to-send-from.ts";
import { judgedByService, roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const sendMessage = tool({
  name: "send_message",
  description:
    "Sends a durable message to an agent (id, handle, session) or to the room. The answer says when each recipient will see it. It grants nobody the right to write. To wait for an answer use ask_peer.",
  input: z.strictObject({
    body: z.string(),
    to: z.string().optional().describe("default: room"),
    to_agent_id: z.string().optional().describe("same as to"),
    target: z.string().optional().describe("same as to"),
    room_id: roomId,
    delivery_hint: judgedByService(z.enum(["normal", "interrupt"])).optional(),
    reply_to: z.string().optional(),
    source_message_id: z.string().optional().describe("the message you forward"),
    wake: z.enum(["off", "auto"]).optional(),
    msg_id: z.string().optional().describe("repeat it to send once"),
  }),
  async run(call, input) {
    const to = recipientIn(input);
    if (isRefusal(to)) return to;
    const { body, delivery_hint: hint, reply_to: replyTo, source_message_id: source, wake, msg_id: msgId } = input;
    const message: Outgoing = {
      body,
      ...(to === undefined ? {} : { to }),
      ...(hint === undefined ? {} : { deliveryHint: hint as "normal" }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(source === undefined ? {} : { sourceMessageId: source }),
      ...(wake === undefined ? {} : { wake }),
      ...(msgId === undefined ? {} : { msgId }),
    };
    const acting = await call.acting(input.room_id, message);
    return isRefusal(acting) ? acting : acting.stick.sendMessage({ roomId: acting.roomId, ...message });
  },
});

interface Named {
  readonly to?: string | undefined;
  readonly to_agent_id?: string | undefined;
  readonly target?: string | undefined;
}

/** One name under up to three fields; several that differ mean somebody else than the sender thinks. */
function recipientIn({ to, to_agent_id, target }: Named): string | undefined | Refusal {
  const names = new Set([to, to_agent_id, target].filter((name) => name !== undefined));
  if (names.size < 2) return [...names][0];
  const message = `to, to_agent_id and target name ${names.size} different recipients: ${[...names].join(", ")}.`;
  return invalidInput("to", message, "Give the recipient once, as to.");
}
