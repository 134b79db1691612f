/** The way into every operation: decode the input, open the store, identify the caller and the room, then run. */
import { decodeInput } from "../core/decode-input.ts";
import { type Field, type Fields, type InputOf, id, idOf, integer, optional, type RawInput } from "../core/field.ts";
import { asLeaseId, asRoomId, type RoomId } from "../core/ids.ts";
import { invariant } from "../core/invariant.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import type { Call, Context, Held, Identified, Needs, Operation, RoomSearch } from "../engine/operation.ts";
import { mayBePrefix, wholeId } from "../engine/whole-id.ts";
import { findOrJoinRoom, findRoom } from "../room/find-room.ts";
import type { Room } from "../room/rules/room.ts";
import type { RoomPlace } from "../room/rules/room-place.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { withoutTurn } from "../stick/without-turn.ts";

/** What a surface knows: how to open the store, who calls, and which directory the caller is in. */
export interface Door {
  readonly directory: string;
  deps(store: Needs["store"]): Promise<Deps | Refusal>;
  /** Null for a reader that cannot be named. */
  caller(deps: Deps, needs: Needs): Promise<Caller | null | Refusal>;
  /** The turn that the caller was given, where the surface remembers it. Otherwise the caller names its turn itself. */
  readonly heldTurn?: (deps: Deps, caller: Caller, roomId: RoomId) => Promise<Held | Refusal>;
  /** What the evidence says about the caller; without it, operations that judge it cannot be called here. */
  readonly identify?: (deps: Deps) => Promise<Identified>;
  /** Called with the room, as it was found, that a call of a known caller is about. */
  readonly isAbout?: (deps: Deps, caller: Caller, room: Room) => void;
}

export async function perform<N extends Needs, F extends Fields, Answer extends object>(
  operation: Operation<N, F, Answer>,
  door: Door,
  raw: RawInput,
  call: Call = {},
): Promise<Answer | Refusal> {
  const { needs } = operation;
  const input = decodeInput(allFieldsOf(operation, door), raw, operation.instead);
  if (isRefusal(input)) return input;
  const deps = await door.deps(needs.store);
  if (isRefusal(deps)) return deps;
  const evidence = needs.caller === "identified" ? await identified(door, deps) : {};
  const caller = needs.caller === "identified" ? null : await door.caller(deps, needs);
  if (isRefusal(caller)) return caller;
  const { roomId, ...given } = input as DoorInput;
  const found = await roomFor(deps, door, caller, needs, roomId);
  if (isRefusal(found)) return found;
  const { room, newPlace = {}, ...place } = found;
  if (room && caller) door.isAbout?.(deps, caller, room);
  const context = { deps, caller, directory: door.directory, ...evidence, ...place };
  const token = needs.token ? await turnOf(door, context as InRoom, given) : undefined;
  if (isRefusal(token)) return token;
  const whole = await withWholeIds(deps, operation.input, given, place.roomId);
  if (isRefusal(whole)) return whole;
  const answer = await operation.run({ ...context, token } as unknown as Context<N>, whole as InputOf<F>, call);
  if (isRefusal(answer)) return answer;
  const next = operation.next?.(answer);
  return { ...answer, ...newPlace, ...(next !== undefined && { next }) };
}

/** The input with every id whole. */
async function withWholeIds(deps: Deps, fields: Fields, input: RawInput, roomId?: RoomId): Promise<RawInput | Refusal> {
  const whole: Record<string, unknown> = { ...input };
  for (const [key, { idOf: kind }] of Object.entries(fields)) {
    if (kind === undefined || kind === "room" || typeof input[key] !== "string") continue;
    const found = await wholeId(deps, kind, input[key], roomId);
    if (isRefusal(found)) return found;
    whole[key] = found;
  }
  return whole;
}

type InRoom = Context<{ readonly store: "change"; readonly caller: "known"; readonly room: "existing" }>;

/** The turn as the surface remembers it, or as the caller gave it. */
async function turnOf(
  { heldTurn }: Door,
  { deps, caller, roomId }: InRoom,
  { leaseId, expectedTurnId }: DoorInput,
): Promise<Held | Refusal> {
  if (heldTurn) return heldTurn(deps, caller, roomId);
  if (leaseId !== undefined && expectedTurnId !== undefined) return { leaseId: asLeaseId(leaseId), expectedTurnId };
  const names = [leaseId === undefined && "lease_id", expectedTurnId === undefined && "expected_turn_id"];
  const missing = names.filter((name) => name !== false);
  return withoutTurn(deps, caller, {
    roomId,
    missing: `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing`,
  });
}

async function identified(door: Door, deps: Deps): Promise<Identified> {
  invariant(door.identify, "this door gives no evidence about its caller");
  return door.identify(deps);
}

/** The input of an operation as a program gives it: ids are plain text. */
export type LibraryInput<N extends Needs, F extends Fields> = {
  readonly [K in keyof InputOf<F>]: Plain<InputOf<F>[K]> | (undefined extends InputOf<F>[K] ? null : never);
} & {
  readonly none: unknown;
  readonly project: { readonly roomId?: string | undefined };
  readonly existing: { readonly roomId: string };
  readonly joined: { readonly roomId: string };
  readonly found: { readonly roomId?: string | undefined };
}[N["room"]] &
  (N["token"] extends true ? { readonly leaseId: string; readonly expectedTurnId: number } : unknown);

type Plain<Value> = Value extends string
  ? string extends Value
    ? string
    : Value extends { readonly __brand?: unknown }
      ? string
      : Value
  : Value;

interface DoorInput {
  readonly roomId?: string;
  readonly leaseId?: string;
  readonly expectedTurnId?: number;
}

/** An operation's own fields, and those that follow from what it needs. */
export function allFieldsOf(
  { needs, input }: Pick<Operation, "needs" | "input">,
  { heldTurn }: Pick<Door, "heldTurn"> = {},
): Fields {
  return {
    ...(needs.room !== "none" && ROOM_FIELDS),
    ...(needs.token && !heldTurn && TOKEN_FIELDS),
    ...input,
  };
}

/** Left out: the room of the caller's directory. */
const ROOM_FIELDS = { roomId: optional(idOf("room")) };
/** May be missing: a caller without a turn is told who holds the stick, and the holder how to get them. */
const TOKEN_FIELDS = {
  leaseId: mayBeMissing(id()),
  expectedTurnId: mayBeMissing(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
};

function mayBeMissing<Value>(of: Field<Value, true>): Field<Value | undefined, true> {
  return { ...of, decode: (name, raw) => (raw === undefined || raw === null ? undefined : of.decode(name, raw)) };
}

/** A room given by its id is read only if the surface asks for it: the operation itself checks that it exists. */
async function roomFor(
  deps: Deps,
  { directory: contextPath, isAbout }: Door,
  caller: Caller | null,
  { room }: Needs,
  roomId: string | undefined,
): Promise<
  | ({ readonly roomId?: RoomId; readonly room?: Room | null; readonly newPlace?: RoomPlace } & Partial<RoomSearch>)
  | Refusal
> {
  if (room === "none" || (room === "project" && roomId === undefined)) return {};
  if (room === "found") {
    const tell = isAbout && caller ? (found: Room) => isAbout(deps, caller, found) : null;
    return { wanted: { roomId, contextPath }, isAbout: tell };
  }
  if (roomId !== undefined && (room === "project" || !isAbout) && !mayBePrefix("room", roomId))
    return { roomId: asRoomId(roomId) };
  const wanted = { roomId, contextPath };
  if (room === "joined" && caller) {
    const joined = await findOrJoinRoom(deps, caller, wanted);
    if (isRefusal(joined)) return joined;
    return { roomId: joined.roomId, room: joined.room, ...(joined.place && { newPlace: joined.place }) };
  }
  const found = await findRoom(deps, wanted);
  return isRefusal(found) ? found : { roomId: found.id, room: found };
}
