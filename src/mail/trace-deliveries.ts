import type { MailChange } from "../core/mail-records.ts";
import type { Deps } from "../engine/deps.ts";
import { attemptOf, isShown } from "./rules/delivery.ts";

/** Tells the trace, if there is one, what a commit has done to deliveries. */
export function traceDeliveries({ trace }: Deps, mail: MailChange | undefined): void {
  if (!trace || !mail) return;
  for (const delivery of mail.deliveries.values()) {
    const { messageId, seq, from, recipient, state, attempts } = delivery;
    const last = attempts.at(-1);
    trace.delivery({
      messageId,
      deliverySeq: seq,
      from,
      to: recipient,
      state: isShown(delivery) ? "shown" : state,
      attempt: attemptOf(delivery),
      transport: last?.transport ?? null,
      reason: delivery.reason ?? last?.reason ?? null,
    });
  }
}
