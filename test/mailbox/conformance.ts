/** The mailbox protocol, one test for each of its sentences, and what its words leave open; on whichever store. */
import { answersConformance } from "./answers-conformance.ts";
import { hostileConformance } from "./hostile-conformance.ts";
import type { OpenMailboxBackend } from "./mailbox-world.ts";
import { messageConformance } from "./message-conformance.ts";
import { orderConformance } from "./order-conformance.ts";
import { retryConformance } from "./retry-conformance.ts";
import { stateConformance } from "./state-conformance.ts";

export function mailboxConformance(openBackend: OpenMailboxBackend): void {
  messageConformance(openBackend);
  stateConformance(openBackend);
  answersConformance(openBackend);
  retryConformance(openBackend);
  orderConformance(openBackend);
  hostileConformance(openBackend);
}
