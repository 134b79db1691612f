/** Events in words, one line each; what was written in a handoff follows in full. */
import type { EventPayloads, EventType } from "../../../core/event.ts";
import type { HandoffEvidence } from "../../../core/handoff.ts";
import { toSnakeCase } from "../../../core/letter-case.ts";
import type { Policy } from "../../../core/policy.ts";
import { clockOf, wallMsOf } from "../../../core/time.ts";
import { oneLine } from "../../../core/visible.ts";
import type { EventView } from "../../../room/rules/event-view.ts";
import { durationText } from "../../words/duration-text.ts";
import { wrap } from "../../words/wrap.ts";
import { evidenceText, handoffText } from "./handoff.ts";
import type { ShownNames } from "./names.ts";
import type { Page } from "./reading.ts";

/** From here on, details stand below the type of their event. */
const WIDE = 60;

/**
 * Lines of the log, one event after the other: at what o'clock, what, who. A line of its own says when the day changes,
 * and the first one if that is not today.
 */
export class LogText {
  readonly #page: Page;
  #day: string;

  constructor(page: Page, nowMs: number) {
    this.#page = page;
    this.#day = clockOf(nowMs).day;
  }

  of(event: EventView): string {
    const { time, day } = clockOf(wallMsOf(event.createdAt));
    const isNewDay = day !== this.#day;
    this.#day = day;
    const text = eventText(event, time, this.#page);
    return isNewDay ? `${this.#page.paint.bold(`── ${day}`)}\n${text}` : text;
  }
}

function eventText(event: EventView, time: string, page: Page): string {
  const { width, names, paint } = page;
  const isWide = width >= WIDE;
  const indent = " ".repeat(isWide ? time.length + 2 : 2);
  const number = names.ids ? `${event.eventSeq} ` : "";
  const type = isWide ? event.eventType.padEnd(19) : event.eventType;
  const head = wrap(`${number}${type} ${whoText(event, names)}`, width - time.length - 2).split("\n");
  const detail = detailText(event, names);
  return [
    `${paint.dim(time)}  ${head.join(`\n${indent}`)}`,
    ...(detail ? [`${indent}${wrap(detail, width, indent)}`] : []),
    ...(event.handoff ? [handoffText(event.handoff, { width, indent })] : []),
    ...(event.eventType === "evidence_attached" ? [evidenceText(evidenceIn(event), { width, indent })] : []),
  ].join("\n");
}

function evidenceIn({ payload }: EventView): HandoffEvidence {
  return (payload as EventPayloads["evidence_attached"]).evidence;
}

/** Who did it, and the other agent. The arrow of a takeover shows where the stick went. */
export function whoText({ eventType, fromAgentId, toAgentId }: EventView, names: ShownNames): string {
  const nobody = eventType === "foreign_write" ? "unknown" : "time";
  const from = fromAgentId === null ? nobody : names.of(fromAgentId);
  if (toAgentId === null) return eventType === "message_sent" ? `${from} → room` : from;
  return `${from} ${eventType === "takeover" ? "←" : "→"} ${names.of(toAgentId)}`;
}

function detailText({ payload, reason, turnId, eventType }: EventView, names: ShownNames): string {
  const tell = DETAILS[eventType] as (payload: object, turnId: number, names: ShownNames) => string;
  const told = tell(payload, turnId, names);
  const next = "reservedFor" in payload && eventType !== "release" ? (payload.reservedFor as string | null) : null;
  return [told, next === null ? "" : `now reserved for ${names.of(next)}`, reason === null ? "" : `because: ${reason}`]
    .filter((part) => part !== "")
    .join(", ");
}

/** Words for what the payload says in codes. */
const WORDS: Readonly<Record<string, string>> = {
  direct_pass: "it was passed on",
  given: "a person gave it",
  sequence: "next in the queue",
  open_claim: "it was free",
  owner_gone: "whose process is gone",
  host_silent: "whose machine was not heard of",
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

type Detail<Type extends EventType> = (payload: EventPayloads[Type], turnId: number, names: ShownNames) => string;

const DETAILS: { readonly [Type in EventType]: Detail<Type> } = {
  claim: ({ reason }, turnId) => `turn ${turnId}, ${word(reason)}`,
  release: ({ givenUp }, turnId) => `turn ${turnId}${givenUp ? ", given up without a handoff" : ""}`,
  pass: ({ operatorRequested }, turnId) => `turn ${turnId}${operatorRequested ? ", as a person asked" : ""}`,
  takeover: ({ revokedAgentId, ground }, turnId, names) =>
    `turn ${turnId}, from ${names.of(revokedAgentId)}, ${word(ground)}`,
  given: ({ revokedAgentId }, turnId, names) =>
    revokedAgentId === null ? "" : `ended turn ${turnId} of ${names.of(revokedAgentId)}`,
  paused: () => "",
  resumed: () => "",
  close: ({ revokedAgentId }, _turnId, names) =>
    revokedAgentId !== null ? `ended the turn of ${names.of(revokedAgentId)}` : "",
  reopen: () => "",
  kick: ({ targetWasOwner }) => (targetWasOwner ? "held the stick, without a handoff" : ""),
  member_joined: ({ reason, handle }) => `${word(reason)}, as ${handle}`,
  member_left: ({ reason, wasOwner }) => `${word(reason)}${wasOwner ? ", held the stick, without a handoff" : ""}`,
  reservation_expired: ({ cause }) => word(cause),
  policy_changed: ({ changes }) => changesText(changes),
  message_sent: messageDetail,
  note_added: ({ preview }) => preview.trimEnd(),
  note_resolved: ({ noteId }, _turnId, names) => `note ${names.short(noteId)}`,
  state_changed: ({ card }) => card.purpose,
  session_superseded: ({ supersededAgentId }) => `was known as ${supersededAgentId} before`,
  foreign_write: foreignWriteDetail,
  check_run: ({ command, exitCode, durationMs }) =>
    `${exitCode === 0 ? "✓" : `✗ ${exitCode}`} ${command} (${durationText(durationMs)})`,
  evidence_attached: (_, turnId) => `the files at the end of turn ${turnId}`,
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
function messageDetail(message: EventPayloads["message_sent"], _turnId: number, names: ShownNames): string {
  const { body, kind, deliveryHint, replyTo, origin } = message;
  const about = [
    ...(kind === undefined ? [] : [kind]),
    ...(deliveryHint === "interrupt" ? ["interrupt"] : []),
    ...(origin === "human" ? ["from a person"] : []),
    ...(replyTo === undefined ? [] : [`answers ${names.short(replyTo)}`]),
  ];
  return about.length === 0 ? body : `(${about.join(", ")})\n${body}`;
}

function changesText(changes: Partial<Policy>): string {
  return Object.entries(changes)
    .map(([key, value]) => `${toSnakeCase(key)}=${value}`)
    .join(", ");
}
