import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { tool } from "../tool.ts";

export const deadLetters = tool({
  name: "dead_letters",
  description: "Lists your messages that could not be delivered, or puts one of them back into your mailbox.",
  input: z.strictObject({
    requeue: z.string().optional().describe("a message_id"),
    after: z.int().optional().describe("cursor_delivery_seq of the page before"),
  }),
  async run(call, { requeue, after }) {
    const session = await call.session();
    if (isRefusal(session)) return session;
    return requeue === undefined
      ? session.stick.listDeadLetters(after === undefined ? {} : { afterDeliverySeq: after })
      : session.stick.requeueDeadLetter({ messageId: requeue });
  },
});
