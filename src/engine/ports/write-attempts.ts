/**
 * Tools of agents without the stick that were let through: which files they were about to change, and how these looked
 * then. A file that looks different later is the evidence that the tool wrote.
 */
import type { AgentId, RoomId } from "../../core/ids.ts";

export interface WriteAttemptRecord {
  readonly roomId: RoomId;
  readonly agentId: AgentId;
  readonly tool: string;
  /** The turn that another agent held; null if nobody did. */
  readonly duringTurn: number | null;
  /** Absolute. */
  readonly paths: readonly string[];
}

export interface WriteAttempts {
  /** Remembers how the files look now. If that cannot be written, the write goes unnoticed. */
  note(attempt: WriteAttemptRecord): void;
  /**
   * The attempts in a room that have written, each with the paths that differ. They are forgotten. `endedFor`: an agent
   * whose tools have ended by now, so that those of its attempts that wrote nothing are forgotten as well.
   */
  settle(roomId: RoomId, endedFor: AgentId | null): readonly WriteAttemptRecord[];
  /** The rooms with attempts of this agent. */
  roomsOf(agentId: AgentId): readonly RoomId[];
  /** An agent without the stick ran a command that may have written in the room. */
  noteCommand(roomId: RoomId, agentId: AgentId): void;
  /** The agents that did so at this wall time or later. */
  commandsSince(roomId: RoomId, sinceMs: number): readonly AgentId[];
}
