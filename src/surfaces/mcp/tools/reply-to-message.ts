import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const replyToMessage = tool({
  name: "reply_to_message",
  description: "Answers a message you received; its sender gets the reply.",
  input: z.strictObject({ message_id: z.string(), body: z.string(), room_id: roomId }),
  async run(call, input) {
    const { message_id: messageId, body } = input;
    const acting = await call.acting(input.room_id, { body, answers: messageId });
    if (isRefusal(acting)) return acting;
    return acting.stick.replyToMessage({ roomId: acting.roomId, messageId, body });
  },
});
