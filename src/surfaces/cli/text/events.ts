/** Events in words, one line each; what was written in a handoff follows in full. */
import type { EventView } from "../../../domain/event-view.ts";
import { ago } from "./ago.ts";
import { handoffText } from "./handoff.ts";
import { visible, wrap } from "./wrap.ts";

export function eventText(event: EventView, nowMs: number, width: number): string {
  const to = event.toAgentId === null ? "" : ` → ${event.toAgentId}`;
  const who = `${event.fromAgentId ?? "time"}${to}`;
  const head = `${String(event.eventSeq).padStart(5)}  ${ago(event.createdAt, nowMs).padEnd(8)} ${event.eventType.padEnd(15)} ${who}`;
  const detail = detailText(event);
  const indent = " ".repeat(7);
  return [
    head,
    ...(detail ? [`${indent}${wrap(detail, width, indent)}`] : []),
    ...(event.handoff ? [handoffText(event.handoff, width)] : []),
  ].join("\n");
}

function detailText({ payload, reason, turnId, eventType }: EventView): string {
  const facts = payload as Readonly<Record<string, unknown>>;
  const parts = [
    ["claim", "takeover", "release", "pass"].includes(eventType) ? `turn ${turnId}` : "",
    ...["reason", "ground", "cause", "preview", "handle"].map((key) =>
      typeof facts[key] === "string" ? String(facts[key]) : "",
    ),
    typeof facts["changes"] === "object" ? JSON.stringify(facts["changes"]) : "",
    reason === null ? "" : `because: ${reason}`,
  ];
  return visible(parts.filter((part) => part !== "").join(", "));
}
