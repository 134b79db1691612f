/**
 * The trace logs what this process did with mail and wakes. It is best effort: it never fails and never carries a
 * body.
 */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { DeliveryState } from "../../core/mail-records.ts";

/** A delivery has just come into this state. */
export interface TracedDelivery {
  readonly messageId: EventId;
  readonly deliverySeq: number;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly state: DeliveryState | "shown";
  readonly attempt: number;
  /** The door of its newest attempt; null before the first. */
  readonly transport: string | null;
  readonly reason: string | null;
}

/** An attempt to wake a session. */
export interface TracedWake {
  readonly agentId: AgentId;
  /** Who tried: the sender of the message, or a process inside the recipient's harness. */
  readonly by: "sender" | "waker";
  readonly messageId: EventId | null;
  /** The ways that were tried, in order, and what came of each. */
  readonly steps: readonly string[];
  readonly status: string;
}

/** Something that only follows a change, and did not end well. */
export interface TracedFault {
  readonly during: string;
  readonly message: string;
}

export interface Trace {
  delivery(delivery: TracedDelivery): void;
  wake(wake: TracedWake): void;
  fault(fault: TracedFault): void;
}
