import type { MailChange } from "../../core/mail-records.ts";
import { isLive } from "../../mail/rules/delivery.ts";

/**
 * A message that was only taken comes again, and that is what would happen anyway; whatever has ended must stay so.
 * An ask is no reason to wait: its time is of this boot and its call dies with the power, so one that seems to wait
 * still waits no more, and its reply comes again like any message. It begins with an event, which is waited for.
 */
export function mailMustReachDisk({ deliveries, sent }: MailChange): boolean {
  return sent !== null || [...deliveries.values()].some((delivery) => !isLive(delivery));
}
