/** The part of the store that forgets: the history of rooms that nobody uses, and agents that are gone. */
import type { AgentId, RoomId } from "../../core/ids.ts";
import type { Session, SessionKey } from "../../session/rules/session.ts";

export const ROW_KINDS = [
  "events",
  "notes",
  "deliveries",
  "asks",
  "members",
  "mailboxes",
  "handles",
  "sessions",
  "aliases",
  "rooms",
] as const;

export type RowKind = (typeof ROW_KINDS)[number];

/** How many rows of each kind were deleted. */
export type RowCounts = Readonly<Partial<Record<RowKind, number>>>;

export interface PrunedRoom {
  readonly roomId: RoomId;
  /** The room must be free, and nothing may have happened in it since this event. */
  readonly lastSeq: number;
  /** Members that are gone, and leave with the history. */
  readonly gone: readonly AgentId[];
  /** Whether the room itself may be deleted if nothing of it is left. */
  readonly mayGo: boolean;
}

/** The names that the store uses. */
export interface StoredNames {
  readonly agents: readonly AgentId[];
  readonly sessionIds: readonly string[];
  readonly members: readonly { readonly agentId: AgentId; readonly roomId: RoomId }[];
}

export interface PruneStore {
  /** How many rows of its history `prune` would delete. */
  countPrunable(roomId: RoomId): Promise<number>;

  /**
   * Deletes the events of a room, its resolved notes, the deliveries that have ended, and members that are gone. Null
   * if the room is in use. The room, its turn counter, its open notes, its attached handoff and readable mail stay. So
   * do the records of messages that were sent with a `msg_id`. A long history is deleted in several transactions.
   */
  prune(room: PrunedRoom): Promise<RowCounts | null>;

  /** The sessions of agents that are in no room, left none since then, and have no mail. */
  readGoneSessions(since: string): Promise<readonly Session[]>;

  /** Deletes these sessions, and the data of agents that are in no room, left none since then, and have no mail. */
  forgetGone(since: string, sessions: readonly SessionKey[]): Promise<RowCounts>;

  readNames(): Promise<StoredNames>;

  /** Returns free space to the file system; false when there was too little, or when the server does it by itself. */
  compact(): Promise<boolean>;
}
