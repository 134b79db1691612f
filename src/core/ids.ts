import { LIMITS } from "./limits.ts";

/** Ids are strings that must not be mixed up; the brand exists only for the compiler. */
type Branded<Name extends string> = string & { readonly __brand: Name };

export type RoomId = Branded<"RoomId">;
export type AgentId = Branded<"AgentId">;
export type LeaseId = Branded<"LeaseId">;
export type EventId = Branded<"EventId">;
export type NoteId = Branded<"NoteId">;
export type Handle = Branded<"Handle">;

/** What callers may name by the beginning of its id. */
export type IdKind = "message" | "note" | "room";

export const asRoomId = (text: string): RoomId => text as RoomId;
export const asAgentId = (text: string): AgentId => text as AgentId;
export const asLeaseId = (text: string): LeaseId => text as LeaseId;
export const asEventId = (text: string): EventId => text as EventId;
export const asNoteId = (text: string): NoteId => text as NoteId;
export const asHandle = (text: string): Handle => text as Handle;

/** Every lease begins with it, so that one can be recognised in any text. */
export const LEASE_MARK = "ttlease_";

/** A new lease, from a random id of 25 small letters and digits. */
export function leaseIdFrom(randomId: string): LeaseId {
  return asLeaseId(`${LEASE_MARK}${randomId}`);
}

/** Ids travel through files, terminals and logs: no white space, no control characters. */
function hasIdCharacters(text: string): boolean {
  // Nearly every id is of this kind, and this check needs no character tables.
  return /^[!-~]+$/.test(text) || /^[^\s\p{C}]+$/u.test(text);
}

export function isId(value: unknown): value is string {
  return isIdOf(value, LIMITS.idCharacters);
}

/** The id that a sender gives its own message. */
export function isMsgId(value: unknown): value is string {
  return isIdOf(value, LIMITS.msgIdCharacters);
}

function isIdOf(value: unknown, maxCharacters: number): value is string {
  return typeof value === "string" && value.length <= maxCharacters && hasIdCharacters(value);
}
