import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { tool } from "../tool.ts";

export const messageStatus = tool({
  name: "message_status",
  description: "What became of a message: its state and every attempt for each recipient.",
  reads: true,
  input: z.strictObject({ message_id: z.string() }),
  async run(call, input) {
    const session = await call.session("read");
    if (isRefusal(session)) return session;
    return session.stick.messageStatus({ messageId: input.message_id });
  },
});
