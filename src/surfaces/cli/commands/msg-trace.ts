import { isRefusal } from "../../../core/refusal.ts";
import { messageStatus } from "../../../mail/message-status.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { missingRoom } from "../room-of.ts";
import { traceText } from "../text/delivery.ts";

export const msgTrace: Command = {
  name: "msg trace",
  summary: "what became of a message, for each recipient",
  example: "tt msg trace 0k3v9zq",
  positionals: [{ name: "message-id", required: true }],
  async run(context, args) {
    const deps = await context.deps();
    if (isRefusal(deps)) return context.refuse(deps);
    const missing = await missingRoom(context);
    if (missing) return context.refuse(missing);
    const status = await messageStatus(deps, { messageId: args.required("message-id") });
    if (isRefusal(status)) return context.refuse(status);
    const nowMs = deps.clock.now().wallMs;
    await context.answer(status, (shown) => traceText(shown, nowMs, context.columns));
    return EXIT.done;
  },
};
