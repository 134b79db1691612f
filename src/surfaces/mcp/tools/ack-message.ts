import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { tool } from "../tool.ts";

export const ackMessage = tool({
  name: "ack_message",
  description: "Confirms a message that was taken with ack manual.",

  input: z.strictObject({ message_id: z.string(), attempt: z.number().int() }),
  async run(call, input) {
    const session = await call.session();
    if (isRefusal(session)) return session;
    return session.stick.ackMessage({ messageId: input.message_id, attempt: input.attempt });
  },
});
