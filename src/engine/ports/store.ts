/**
 * The store contract, small on purpose: load a room whole, let a pure function decide, save what differs.
 *
 * Every store promises:
 *   - `change` is atomic and durable: when it resolves, the change survives the death of any process, and
 *     whatever has an event survives a loss of power too; when it throws a Fault without `outcomeUnknown`,
 *     nothing was written;
 *   - changes of one room happen one after the other, and `seq` order is commit order, so a reader that
 *     remembers the last seq it saw never skips an event;
 *   - reads write nothing and see a state that really existed;
 *   - events are never changed or deleted.
 * Stores decide nothing. The function given to `change` may run more than once and must be pure.
 */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId, IdKind, NoteId, RoomId } from "../../core/ids.ts";
import type { BootRef, ProcessRef } from "../../core/process.ts";
import type { Moment } from "../../core/time.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { Aliases } from "../../room/rules/alias.ts";
import type { Change, Decision } from "../../room/rules/change.ts";
import type { TakenHandle, TakenHandles } from "../../room/rules/membership.ts";
import type { Note } from "../../room/rules/note.ts";
import type { NewRoom, Room } from "../../room/rules/room.ts";
import type { HeardHost } from "../../session/rules/host-silence.ts";
import type { Session, SessionKey } from "../../session/rules/session.ts";
import type { MailStore, PostRequest } from "./mail-store.ts";
import type { PruneStore } from "./prune-store.ts";

export interface Loaded {
  /** The time by the store's own clock, read inside the transaction. */
  readonly moment: Moment;
  readonly room: Room;
  /** True if this transaction created the room. */
  readonly created: boolean;
  /** The handles given out in the room's project. */
  readonly handles: TakenHandles;
  /**
   * Whether the room's log says that the agent joined, or succeeded another agent there. Like the handles, it matters
   * in a change that admits an agent.
   */
  readonly hasBeenHere: (agentId: AgentId) => boolean;
  /** The note the target named, if it is in this room. */
  readonly note: Note | null;
  /**
   * Former names with the present ones: all former names of the members, and those by which the room still knows a
   * member.
   */
  readonly aliases: Aliases;
  /** What the target's `post` asked for. */
  readonly post: Post | null;
}

/**
 * An existing room; or the deepest room among `paths` (deepest first), created at `otherwise.path` if there is none.
 */
export type ChangeTarget =
  | { readonly roomId: RoomId; readonly noteId?: NoteId; readonly post?: PostRequest }
  | { readonly host: string; readonly paths: readonly string[]; readonly otherwise: NewRoom };

export interface ChangeOptions {
  /**
   * False if the caller expects no event from this change. The store may then save it without waiting for the disk. If
   * there is an event after all, the store lets `decide` run again in a change that waits.
   */
  readonly expectsEvents?: boolean;
  /** The agents whose bells to ring; null for none. A store that can ring with the commit does so, and sets `rang`. */
  readonly ring?: (before: Room, change: Change) => readonly AgentId[] | null;
}

export interface Changed<Answer> {
  readonly moment: Moment;
  readonly created: boolean;
  readonly before: Room;
  readonly decision: Decision<Answer>;
  /** True when the bells have been rung already. */
  readonly rang: boolean;
}

export interface RoomSnapshot {
  readonly moment: Moment;
  readonly room: Room;
  /** The store's change mark from just before the read, if the store knows it without another read. */
  readonly mark?: string;
}

/** Which rooms a list shows; a missing field does not restrict. */
export interface RoomQuery {
  readonly host?: string;
  readonly paths?: readonly string[];
  readonly project?: string;
  readonly agentId?: AgentId;
  /** Only rooms whose stick is held. */
  readonly owned?: true;
}

export interface NoteQuery {
  readonly unresolvedOnly: boolean;
  /** Only those that were written before this one. */
  readonly before?: NoteId;
}

export type SessionChange = (known: Session | null, now: () => Moment) => Session;

/** The part of the store that keeps what is known about sessions. */
interface SessionStore {
  /**
   * Replaces one session's row by the result of `change`, which gets null if the session has no row, and can ask for the
   * store's time. If nothing differs, nothing is written. `change` may run more than once and must be pure. Resolves to
   * whether anything was written.
   */
  changeSession(key: SessionKey, change: SessionChange): Promise<boolean>;

  /** The rows of a project, by the present names of their sessions. */
  readSessions(project: string): Promise<readonly Session[]>;

  /** The rows of one session in all projects, by the id that its harness gave it. */
  findSessions(sessionId: string): Promise<readonly Session[]>;
}

/** Notes belong to a room; the others are looked for everywhere. */
export type IdQuery = { readonly kind: Exclude<IdKind, "note"> } | { readonly kind: "note"; readonly roomId: RoomId };

/** What a person who looks after the server wants to know of it. Null where the role may not see it. */
export interface ServerSight {
  readonly moment: Moment;
  readonly version: string;
  readonly role: { readonly name: string; readonly isSuperuser: boolean };
  readonly isEncrypted: boolean | null;
  /** `free` is what an ordinary role may still open; `ours` are those of programs like this one. */
  readonly connections: { readonly used: number; readonly ours: number; readonly free: number };
  readonly size: { readonly bytes: number; readonly liveRows: number; readonly deadRows: number };
  /** Settings as the server words them. */
  readonly settings: Readonly<Record<"fsync" | "fullPageWrites" | "autovacuum" | "synchronousStandbys", string>>;
  readonly replicas: number;
  /** The transaction of this role that has been open longest. */
  readonly oldestTransaction: { readonly pid: number; readonly program: string; readonly ageMs: number } | null;
}

/** What a shared store heard of the machines that use it. All instants are the server's. */
export interface HostRegister {
  /** Notes that this process stays. Answers which processes of the same boot are noted, by their keys. */
  begin(process: ProcessRef, name: string): Promise<readonly string[]>;
  /**
   * Notes that the machine was heard of. Nothing is written if it was heard of within `freshMs`. Answers how long ago that
   * was, in milliseconds: 0 if it is noted now, null if this process is not noted any more.
   */
  renew(process: ProcessRef, freshMs: number): Promise<number | null>;
  /** These processes have ended. */
  end(boot: BootRef, processKeys: readonly string[]): Promise<void>;
  read(): Promise<readonly HeardHost[]>;
}

export interface Store extends MailStore, SessionStore, PruneStore {
  readonly kind: "sqlite" | "postgres" | "memory";

  /** Absent where one machine alone uses the store. */
  readonly hosts?: HostRegister;

  /** Resolves to null, without a change, when the target's room does not exist or when nothing is decided. */
  change<Answer>(
    target: ChangeTarget,
    decide: (loaded: Loaded) => Decision<Answer> | null,
    options?: ChangeOptions,
  ): Promise<Changed<Answer> | null>;

  readRoom(roomId: RoomId): Promise<RoomSnapshot | null>;

  /** Newest change first. */
  readRooms(query: RoomQuery): Promise<{ readonly moment: Moment; readonly rooms: readonly Room[] }>;

  /** Up to `limit` events with seq > `afterSeq`, ascending. */
  readEvents(roomId: RoomId, afterSeq: number, limit: number): Promise<readonly RoomEvent[]>;

  /** The newest `limit` of the events with seq < `beforeSeq` that are still there, ascending. */
  readEventsBefore(roomId: RoomId, beforeSeq: number, limit: number): Promise<readonly RoomEvent[]>;

  /** The newest event by which an agent of one of these names left the room. */
  readDeparture(roomId: RoomId, names: readonly AgentId[]): Promise<RoomEvent | null>;

  /**
   * The present name of an agent: the name of the session that superseded it, or else its own. A former name is kept
   * until its session comes back.
   */
  resolveAlias(agentId: AgentId): Promise<AgentId>;

  /** For each of these agents that has another name now: that present name. */
  readAliases(names: readonly AgentId[]): Promise<Aliases>;

  /**
   * From now on the session has its own name and no longer the provisional one. Its mail and its rows move to the new
   * name. Each room renames the session in a change of its own.
   */
  supersede(old: AgentId, agentId: AgentId): Promise<void>;

  /** A superseded session is back and runs beside its successor. From now on its name is its own again. */
  reclaimName(agentId: AgentId): Promise<void>;

  /** The handles of a project's agents, also of those that left. */
  readHandles(project: string): Promise<readonly TakenHandle[]>;

  /** The newest `limit` notes of those wanted, ascending. */
  readNotes(roomId: RoomId, limit: number, wanted: NoteQuery): Promise<readonly Note[]>;

  countOpenNotes(roomId: RoomId): Promise<number>;

  readNote(roomId: RoomId, noteId: NoteId): Promise<Note | null>;

  /** Up to `limit` ids that begin with `prefix`, ascending. */
  readIds(query: IdQuery, prefix: string, limit: number): Promise<readonly string[]>;

  /**
   * A cheap mark that differs from an earlier one if another process may have committed in between. Equal marks mean
   * that nothing changed. Different marks mean only that a look is worthwhile.
   */
  changeMark(): Promise<string>;

  /**
   * False if the store that this process has open was removed or replaced, so that other processes use another one.
   * Then every call is a Fault until the process opens the store again. If only a part of the store was lost, this
   * process cannot open it again: every call is a Fault, and the store still counts as in place.
   */
  isInPlace(): boolean;

  /** True when a local store was opened without changes that its files speak of. */
  readonly lacksChanges?: boolean;

  /** Only a store on a server has it. */
  lookAtServer?(): Promise<ServerSight>;

  /** False if the store, when last read, had an older schema: the next change of this process upgrades it. */
  isUpToDate(): boolean;

  close(): Promise<void>;
}
