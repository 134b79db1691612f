import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { tool } from "../tool.ts";

export const nackMessage = tool({
  name: "nack_message",
  description: "Gives a message back: it comes again later, or becomes a dead letter.",

  input: z.strictObject({ message_id: z.string(), attempt: z.number().int(), reason: z.string() }),
  async run(call, input) {
    const session = await call.session();
    if (isRefusal(session)) return session;
    const { message_id: messageId, attempt, reason } = input;
    return session.stick.nackMessage({ messageId, attempt, reason });
  },
});
