/**
 * What a process of the experiment asked for, what it was told, and when: the vocabulary that the recording
 * processes and the checker share. Times are nanoseconds of CLOCK_MONOTONIC, which is one clock for all
 * processes of a machine. A tag is a text that occurs once in the whole run, so an event in the log that
 * carries it belongs to exactly one operation.
 */
export type Request =
  | { readonly kind: "join" }
  | { readonly kind: "wait"; readonly maxWaitMs: number; readonly claim: boolean }
  | ({ readonly kind: "release"; readonly tag: string } & Token)
  | ({ readonly kind: "pass"; readonly tag: string; readonly to: string } & Token)
  | ({ readonly kind: "heartbeat" } & Token)
  | { readonly kind: "takeover"; readonly tag: string; readonly turnId: number }
  | { readonly kind: "leave" }
  | { readonly kind: "note"; readonly tag: string; readonly turnId: number | null }
  | { readonly kind: "state" }
  | { readonly kind: "list" }
  | { readonly kind: "events"; readonly after: number | null; readonly limit: number }
  | { readonly kind: "watch"; readonly maxWaitMs: number };

export interface Token {
  readonly turnId: number;
  readonly leaseId: string;
}

export type Answer =
  | { readonly is: "joined"; readonly cursor: number; readonly state: string; readonly memberCount: number }
  | ({ readonly is: "your_turn"; readonly from: string | null; readonly reason: string } & Grant)
  | { readonly is: "takeover_available"; readonly turnId: number; readonly owner: string; readonly state: string }
  | ({ readonly is: "not_yet" } & Sighting)
  | { readonly is: "closed" }
  | { readonly is: "released" | "passed"; readonly seq: number; readonly reservedFor: string | null }
  | ({ readonly is: "taken"; readonly revoked: string; readonly ground: string; readonly tag: string } & Grant)
  | { readonly is: "renewed"; readonly turnId: number }
  | { readonly is: "left"; readonly remaining: number }
  | { readonly is: "noted"; readonly tag: string; readonly turnId: number | null }
  | ({ readonly is: "state"; readonly handoff: string | null; readonly memberCount: number } & Sighting)
  | ({ readonly is: "listed"; readonly memberCount: number } & Sighting)
  | { readonly is: "events"; readonly cursor: number; readonly events: readonly SeenEvent[] }
  | { readonly is: "refused"; readonly code: string; readonly facts: Readonly<Record<string, unknown>> }
  | { readonly is: "fault"; readonly code: string; readonly outcomeUnknown: boolean; readonly text: string }
  /** An exception that is no fault: the program itself found that it is wrong. */
  | { readonly is: "crash"; readonly text: string };

export interface Grant {
  readonly turnId: number;
  readonly leaseId: string;
  readonly handoff: string | null;
}

export interface Sighting {
  readonly turnId: number;
  readonly owner: string | null;
  readonly reservedFor: string | null;
  readonly state: string;
}

export type SeenEvent = readonly [seq: number, eventId: string];

export interface Operation {
  readonly agent: string;
  /** Its place among the agent's own operations, which happen one after the other. */
  readonly index: number;
  readonly request: Request;
  readonly invokedAt: number;
  /** Infinite and null when the process died before it was told the outcome. */
  readonly answeredAt: number;
  readonly answer: Answer | null;
}

/** The lines of a process's history file: one when it asks, one when it was answered, one when it ends by itself. */
export type HistoryLine =
  | { readonly i: number; readonly t: number; readonly q: Request }
  | { readonly i: number; readonly t: number; readonly a: Answer }
  | { readonly ended: number };

/** Whether the operation may have had an effect of which nobody was told. */
export function isOpen({ answer }: Operation): boolean {
  return answer === null || (answer.is === "fault" && answer.outcomeUnknown) || answer.is === "crash";
}

export function describe({ agent, index, request, answer }: Operation): string {
  const outcome = answer === null ? "no answer" : JSON.stringify(answer);
  return `${agent}'s operation ${index} ${JSON.stringify(request)} → ${outcome}`;
}
