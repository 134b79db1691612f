/**
 * One operation, defined once: what it needs, what it takes, what it may refuse, and what it does. The MCP tool, the
 * decoding at every door, the reference page and the types of the library come from this definition.
 */
import type { Hash } from "../core/agent-id.ts";
import type { Fields, InputOf } from "../core/field.ts";
import type { LeaseId, RoomId } from "../core/ids.ts";
import type { Next } from "../core/next.ts";
import type { OperationName } from "../core/operation-names.ts";
import type { Refusal, RefusalCode } from "../core/refusal.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Identification } from "../session/rules/identity.ts";
import type { Deps } from "./deps.ts";
import type { InFlight } from "./in-flight.ts";
import type { SessionClaims } from "./ports/session-claims.ts";

/** What an operation needs before it runs. Each field is independent of the others. */
export interface Needs {
  /** `change`: the store is opened for writing, and created if there is none. */
  readonly store: "read" | "change";
  /** `anyone`: a reader may be unknown. `identified`: the operation itself judges the evidence about the caller. */
  readonly caller: "anyone" | "known" | "identified";
  /**
   * `project`: the operation is about a whole project; a room may be named to say which one. `joined`: if the directory
   * has no room yet, the call creates and joins one. `found`: the operation finds the room by itself, because a room is
   * created only for a message that can be sent.
   */
  readonly room: "none" | "project" | "existing" | "joined" | "found";
  /** The caller proves its turn by the lease and the number of the turn. */
  readonly token?: true;
}

/** What proves a turn. */
export interface Held {
  readonly leaseId: LeaseId;
  readonly expectedTurnId: number;
}

interface InRoom {
  readonly roomId: RoomId;
}

/** For an operation that finds its room by itself. */
export interface RoomSearch {
  /** By its id, or else by the directory. */
  readonly wanted: { readonly roomId: string | undefined; readonly contextPath: string };
  /** Called with the room that was found; null if no door wants to know it. */
  readonly isAbout: ((room: Room) => void) | null;
}

interface RoomContext {
  readonly none: unknown;
  readonly project: Partial<InRoom>;
  readonly existing: InRoom;
  readonly joined: InRoom;
  readonly found: RoomSearch;
}

/** Where the claim of a process to be a certain session is kept. */
export interface ClaimBook {
  readonly claims: Pick<SessionClaims, "write" | "forget">;
  readonly hash: Hash;
}

/** What the evidence says about the caller, even if it names nobody, and where a claim of the caller is kept. */
export interface Identified extends ClaimBook {
  readonly identification: Identification;
}

/** What `run` is given, by what the operation needs. */
export type Context<N extends Needs> = {
  readonly deps: Deps;
  readonly caller: N["caller"] extends "known" ? Caller : Caller | null;
  /** The directory that the caller means. */
  readonly directory: string;
} & (N["caller"] extends "identified" ? Identified : unknown) &
  RoomContext[N["room"]] &
  (N["token"] extends true ? { readonly token: Held } : unknown);

/** One call through a door: how long it may take, and the callbacks that it informs. */
export interface Call {
  /** Aborts when the caller gives up. Its place in the queue is then given up, too. */
  readonly cancel?: AbortSignal;
  /** Ends a wait as its time limit does: the place is kept. */
  readonly enough?: AbortSignal;
  /** The wait that the caller wants, cut to what its client allows. */
  readonly waitMs?: (wantedMs: number) => number;
  /** Called with what a wait sees, after every look. */
  readonly onLook?: (seen: object) => void;
  /**
   * Called with the mail that was taken for the answer. It is confirmed once the answer is out, and given back if the
   * answer never gets out.
   */
  readonly afterOutput?: ((taken: InFlight) => void) | undefined;
  /** The door through which mail is taken, for the record. */
  readonly transport?: string;
  /** Called when the caller has another name from now on. */
  readonly renamed?: () => Promise<void>;
  /** Called with a room that the caller joined. */
  readonly entered?: (deps: Deps, caller: Caller, roomId: RoomId) => void;
  /** How far the caller has read the log of a room. */
  readonly heard?: {
    recall(caller: Caller, roomId: RoomId): number | undefined;
    remember(caller: Caller, roomId: RoomId, eventSeq: number): void;
  };
  /** Remembers the turn that the caller was given, until that turn is over. */
  readonly turns?: {
    known(caller: Caller, roomId: RoomId): number | undefined;
    granted(
      caller: Caller,
      roomId: RoomId,
      turn: { readonly turnId: number; readonly leaseId: LeaseId },
    ): Promise<void>;
    over(caller: Caller, roomId: RoomId): void;
  };
}

/** Refusals that a door gives for every operation. */
export type DoorRefusal =
  | "invalid_input"
  | "invalid_path"
  | "ambiguous_id"
  | "room_not_found"
  | "agent_id_required"
  | "session_ended";

interface Described<N extends Needs, F extends Fields, Code extends RefusalCode> {
  readonly name: OperationName;
  /** At most 400 characters: every client of the MCP server pays for them in every session. */
  readonly summary: string;
  readonly needs: N;
  readonly input: F;
  /** Fields of other tools that this operation does not take: what to do instead. */
  readonly instead?: Readonly<Record<string, string>>;
  /** What it may refuse, besides what a door refuses. */
  readonly refusals: readonly Code[];
  /** `core`: a tool of its own by default. `gateway`: reached through the gateway, or as a tool on demand. */
  readonly mcp: "core" | "gateway" | "none";
}

export interface Operation<
  N extends Needs = Needs,
  F extends Fields = Fields,
  Answer extends object = object,
  Code extends RefusalCode = RefusalCode,
> extends Described<N, F, Code> {
  run(context: Context<N>, input: InputOf<F>, call: Call): Promise<Answer | Refusal<Code | DoorRefusal>>;
  /** What the caller may do after this answer. */
  next?(answer: Answer): Next | undefined;
}

/** An answer never looks like a refusal; so a refusal that is not listed is a type error. */
interface NoRefusal {
  readonly error?: never;
}

export function operation<
  const N extends Needs,
  F extends Fields,
  Answer extends NoRefusal & object,
  const Code extends RefusalCode = never,
>(
  definition: Described<N, F, Code> & {
    run(context: Context<N>, input: InputOf<F>, call: Call): Promise<Answer | Refusal<NoInfer<Code> | DoorRefusal>>;
    next?(answer: NoInfer<Answer>): Next | undefined;
  },
): Operation<N, F, Answer, Code> {
  return definition;
}
