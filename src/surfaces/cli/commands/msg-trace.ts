import { messageStatus } from "../../../mail/message-status.ts";
import { SHORT_ID } from "../command.ts";
import { form } from "../form.ts";
import { assertNamedRoom } from "../room-of.ts";
import { traceText } from "../text/delivery.ts";

export const msgTrace = form({
  words: "msg trace",
  of: messageStatus,
  summary: "what became of a message, for each recipient",
  details: [SHORT_ID],
  example: "tt msg trace 0k3v9zq",
  positionals: [{ name: "message-id", field: "messageId", required: true }],
  async gather(context) {
    await assertNamedRoom(context);
    return {};
  },
  text: (status, { context, nowMs }) => traceText(status, nowMs, context.columns),
});
