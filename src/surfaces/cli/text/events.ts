/** Events in words, one line each; what was written in a handoff follows in full. */
import type { EventPayloads, EventType } from "../../../core/event.ts";
import { toSnakeCase } from "../../../core/letter-case.ts";
import type { Policy } from "../../../core/policy.ts";
import { oneLine } from "../../../core/visible.ts";
import type { EventView } from "../../../room/rules/event-view.ts";
import { durationText } from "../duration.ts";
import { ago } from "./ago.ts";
import { handoffText } from "./handoff.ts";
import { wrap } from "./wrap.ts";

const INDENT = " ".repeat(7);

export function eventText(event: EventView, nowMs: number, width: number): string {
  const everybody = event.eventType === "message_sent" ? " → room" : "";
  const to = event.toAgentId === null ? everybody : ` → ${event.toAgentId}`;
  const nobody = event.eventType === "foreign_write" ? "unknown" : "time";
  const who = `${event.fromAgentId ?? nobody}${to}`;
  const head = `${String(event.eventSeq).padStart(5)}  ${ago(event.createdAt, nowMs).padEnd(8)} ${event.eventType.padEnd(19)} ${who}`;
  const detail = detailText(event);
  return [
    wrap(head, width, INDENT),
    ...(detail ? [`${INDENT}${wrap(detail, width, INDENT)}`] : []),
    ...(event.handoff ? [handoffText(event.handoff, width, INDENT)] : []),
  ].join("\n");
}

function detailText({ payload, reason, turnId, eventType }: EventView): string {
  const tell = DETAILS[eventType] as (payload: object, turnId: number) => string;
  const told = tell(payload, turnId);
  const next = "reservedFor" in payload && eventType !== "release" ? (payload.reservedFor as string | null) : null;
  return [told, next === null ? "" : `now reserved for ${next}`, reason === null ? "" : `because: ${reason}`]
    .filter((part) => part !== "")
    .join(", ");
}

/** Words for what the payload says in codes. */
const WORDS: Readonly<Record<string, string>> = {
  direct_pass: "it was passed on",
  sequence: "next in the queue",
  open_claim: "it was free",
  owner_gone: "whose process is gone",
  owner_timeout: "whose lease had expired",
  operator_requested: "as a person asked",
  first: "for the first time",
  returned: "again",
  left: "by its own choice",
  session_ended: "its session ended",
  process_gone: "its process is gone",
  expired: "not seen for long",
  timeout: "not taken in time",
  recipient_gone: "its process is gone",
  given_up: "it stopped waiting",
};

function word(code: string): string {
  return WORDS[code] ?? code;
}

const DETAILS: { readonly [Type in EventType]: (payload: EventPayloads[Type], turnId: number) => string } = {
  claim: ({ reason }, turnId) => `turn ${turnId}, ${word(reason)}`,
  release: ({ givenUp }, turnId) => `turn ${turnId}${givenUp ? ", given up without a handoff" : ""}`,
  pass: ({ operatorRequested }, turnId) => `turn ${turnId}${operatorRequested ? ", as a person asked" : ""}`,
  takeover: ({ revokedAgentId, ground }, turnId) => `turn ${turnId}, from ${revokedAgentId}, ${word(ground)}`,
  close: ({ revokedAgentId }) => (revokedAgentId !== null ? `ended the turn of ${revokedAgentId}` : ""),
  reopen: () => "",
  kick: ({ targetWasOwner }) => (targetWasOwner ? "held the stick" : ""),
  member_joined: ({ reason, handle }) => `${word(reason)}, as ${handle}`,
  member_left: ({ reason, wasOwner }) => `${word(reason)}${wasOwner ? ", held the stick" : ""}`,
  reservation_expired: ({ cause }) => word(cause),
  policy_changed: ({ changes }) => changesText(changes),
  message_sent: messageDetail,
  note_added: ({ preview }) => preview.trimEnd(),
  note_resolved: ({ noteId }) => `note ${noteId}`,
  state_changed: ({ card }) => card.purpose,
  session_superseded: ({ supersededAgentId }) => `was known as ${supersededAgentId} before`,
  foreign_write: foreignWriteDetail,
  check_run: ({ command, exitCode, durationMs }) =>
    `${exitCode === 0 ? "✓" : `✗ ${exitCode}`} ${command} (${durationText(durationMs)})`,
};

function foreignWriteDetail({ paths, more, tool, duringTurn, nearby = [] }: EventPayloads["foreign_write"]): string {
  const named = paths.map(oneLine).join(", ");
  const what = more === 0 ? named : `${named} and ${more} more`;
  const how = tool === undefined ? "" : ` with ${tool}`;
  const when = duringTurn === null ? "while nobody held the stick" : `during turn ${duringTurn}`;
  const near = nearby.length === 0 ? "" : `; commands ran then: ${nearby.join(", ")}`;
  return `changed ${what}${how}, ${when}${near}`;
}

/** What kind of message it is stands above its words, which are shown whole. */
function messageDetail({ body, kind, deliveryHint, replyTo, origin }: EventPayloads["message_sent"]): string {
  const about = [
    ...(kind === undefined ? [] : [kind]),
    ...(deliveryHint === "interrupt" ? ["interrupt"] : []),
    ...(origin === "human" ? ["from a person"] : []),
    ...(replyTo === undefined ? [] : [`answers ${replyTo}`]),
  ];
  return about.length === 0 ? body : `(${about.join(", ")})\n${body}`;
}

function changesText(changes: Partial<Policy>): string {
  return Object.entries(changes)
    .map(([key, value]) => `${toSnakeCase(key)}=${value}`)
    .join(", ");
}
