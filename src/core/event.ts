/**
 * The closed union of everything that can happen in a room.
 *
 * An event is a fact about the past. Each room has one log, to which events are only added. `seq` is assigned inside
 * the room's write transaction, so the order of the log is the order of commits. Folding them with `evolve`
 * (room/rules/evolve.ts, room/rules/note.ts) gives the room's state, owner, turn, reservation, handoff, members, notes
 * and cards. Leases, deadlines and waits are not in the log: they are promises about time, not history.
 */
import type { Check, Handoff, HandoffEvidence } from "./handoff.ts";
import type { AgentId, EventId, Handle, NoteId, RoomId } from "./ids.ts";
import type { Policy } from "./policy.ts";

export const EVENT_TYPES = [
  "claim",
  "release",
  "pass",
  "takeover",
  "close",
  "reopen",
  "kick",
  "member_joined",
  "member_left",
  "reservation_expired",
  "policy_changed",
  "message_sent",
  "note_added",
  "note_resolved",
  "state_changed",
  "session_superseded",
  "foreign_write",
  "check_run",
  "given",
  "paused",
  "resumed",
  "evidence_attached",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export type ClaimReason = "direct_pass" | "given" | "sequence" | "open_claim";
export type TakeoverGround = "owner_gone" | "host_silent" | "owner_timeout" | "operator_requested";
export type LeaveReason = "left" | "session_ended" | "process_gone" | "expired";

/** A state card says what an agent is doing, so that others need not read its transcript. */
export interface StateCard {
  readonly purpose: string;
  readonly files?: readonly string[];
  readonly blockedOn?: string;
}

export interface MessagePayload {
  readonly body: string;
  readonly bodyBytes: number;
  readonly origin: "peer" | "human" | "system";
  readonly fromSessionId?: string;
  readonly deliveryHint: "normal" | "interrupt";
  readonly kind?: string;
  readonly requestId?: string;
  readonly replyTo?: string;
  readonly sourceMessageId?: string;
  /** For a message of the mailbox protocol: the id that its sender gave it, and when the sender created it. */
  readonly msgId?: string;
  readonly createdAtSecs?: number;
  readonly chainId: string;
  readonly hops: number;
}

/** So many paths an event names. */
export const FOREIGN_PATHS = 50;

export const WRITE_EVIDENCE = ["tool_call", "git_ref", "comparison"] as const;

/**
 * Files changed although the agent that changed them did not hold the stick, or while nobody held it. Its event names
 * the writer as its author; null if no evidence names one, as when a person edits.
 */
export interface ForeignWrite {
  /** At most FOREIGN_PATHS, relative to the room; for `git_ref`, the refs. */
  readonly paths: readonly string[];
  /** How many further ones there were. */
  readonly more: number;
  /** `comparison`: the tree differs between the end of a turn and the next grant. */
  readonly evidence: (typeof WRITE_EVIDENCE)[number];
  readonly tool?: string;
  /** The turn that another agent held meanwhile; null between turns. */
  readonly duringTurn: number | null;
  /** Without an author: the agents that ran commands of unknown effect in that time. */
  readonly nearby?: readonly AgentId[];
}

/** What each type adds to the common columns. `reservedFor` is the agent that got the freed stick. */
export interface EventPayloads {
  readonly claim: { readonly reason: ClaimReason; readonly gitHead: string | null };
  /** `givenUp`: the holder ended its turn without a handoff; the one that it was given stays attached. */
  readonly release: { readonly reservedFor: AgentId | null; readonly givenUp?: boolean };
  readonly pass: { readonly operatorRequested: boolean };
  readonly takeover: {
    readonly revokedAgentId: AgentId;
    readonly ground: TakeoverGround;
    readonly gitHead: string | null;
  };
  /** A person handed the stick on. `revokedAgentId`: the agent that held it. */
  readonly given: { readonly revokedAgentId: AgentId | null };
  readonly paused: Readonly<Record<string, never>>;
  /** `reservedFor`: the waiter that gets a stick that was free; null if it was not free, or nobody waits. */
  readonly resumed: { readonly reservedFor: AgentId | null };
  readonly close: { readonly revokedAgentId: AgentId | null };
  readonly reopen: Readonly<Record<string, never>>;
  readonly kick: {
    readonly force: boolean;
    readonly targetWasOwner: boolean;
    readonly targetWasReservedFor: boolean;
    readonly reservedFor: AgentId | null;
  };
  readonly member_joined: {
    readonly reason: "first" | "returned";
    readonly harness: string;
    readonly handle: Handle;
  };
  readonly member_left: {
    readonly reason: LeaveReason;
    readonly wasOwner: boolean;
    readonly wasReservedFor: boolean;
    readonly reservedFor: AgentId | null;
  };
  readonly reservation_expired: {
    readonly cause: "timeout" | "recipient_gone" | "given_up";
    readonly reservedFor: AgentId | null;
  };
  readonly policy_changed: { readonly changes: Partial<Policy> };
  readonly message_sent: MessagePayload;
  /** `body` stays in the log; readers of events are shown the preview. `turnId` is the turn the note is about. */
  readonly note_added: {
    readonly noteId: NoteId;
    readonly turnId: number | null;
    readonly preview: string;
    readonly body: string;
  };
  readonly note_resolved: { readonly noteId: NoteId };
  readonly state_changed: { readonly card: StateCard };
  readonly session_superseded: { readonly supersededAgentId: AgentId };
  readonly foreign_write: ForeignWrite;
  /** The holder ran a command with `tt check`. */
  readonly check_run: Check;
  /** What git said about the tree at the end of a turn. It takes the place of the evidence in the handoff of that turn. */
  readonly evidence_attached: AttachedEvidence;
}

export interface AttachedEvidence {
  /** The event that has the handoff. */
  readonly handoffSeq: number;
  readonly evidence: HandoffEvidence;
}

interface EventColumns {
  readonly seq: number;
  readonly eventId: EventId;
  readonly roomId: RoomId;
  readonly turnId: number;
  readonly fromAgentId: AgentId | null;
  readonly toAgentId: AgentId | null;
  readonly handoff: Handoff | null;
  readonly reason: string | null;
  readonly createdAt: string;
}

export type EventOf<Type extends EventType> = EventColumns & {
  readonly type: Type;
  readonly payload: EventPayloads[Type];
};

export type RoomEvent = { [Type in EventType]: EventOf<Type> }[EventType];

export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}

/** Which agent left the room by this event; null for an event that removed no member. */
export function whoDeparted({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  if (type === "member_left") return fromAgentId;
  return type === "kick" ? toAgentId : null;
}
