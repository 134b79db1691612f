/**
 * Judges a tool that is about to write. Only the store says who holds the stick, and it is read now. A holder gets a pass,
 * so that the shell of its next hook need not ask.
 */
import { Fault } from "../core/fault.ts";
import type { AgentId } from "../core/ids.ts";
import type { Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom, ownNames } from "../engine/evidence.ts";
import { holdingSince } from "../engine/newest-events.ts";
import type { Store } from "../engine/ports/store.ts";
import { leaseDeadline } from "../room/rules/liveness.ts";
import type { Room } from "../room/rules/room.ts";
import { afterSleep } from "../room/rules/settle.ts";
import type { Caller, Given } from "../session/rules/decision-input.ts";
import { takeoverGround } from "../stick/rules/grant.ts";
import type { GuardDeps } from "./guard-deps.ts";
import type { WriteAttempt } from "./rules/attempt.ts";
import { mentionedPaths } from "./rules/mentioned-paths.ts";
import type { Effect } from "./rules/shell/finding.ts";
import { type GuardVerdict, type StickSight, severer, verdictOn } from "./rules/verdict.ts";
import { type StickFacts, verdictText } from "./rules/verdict-text.ts";

export interface AttemptJudgement {
  readonly verdict: GuardVerdict;
  /** Why the tool is refused, for the agent; empty if it may run. */
  readonly text: string;
  readonly effect: Effect;
  /** The guarded rooms that the tool may write in and whose stick the caller does not hold. */
  readonly rooms: readonly JudgedRoom[];
}

export interface JudgedRoom {
  readonly room: Room;
  readonly stick: StickSight;
  readonly verdict: GuardVerdict;
}

/** The turn that another agent holds; null if nobody does. */
export function turnDuring({ room: { state } }: JudgedRoom): number | null {
  return state.owner === null ? null : state.turnId;
}

export interface Attempted extends Attempter {
  readonly attempt: WriteAttempt;
}

export interface Attempter {
  readonly caller: Caller;
  /** Null if it is not known, or not the one of this name any more; then the shell has to ask each time. */
  readonly sessionId: string | null;
  readonly cwd: string;
}

const HARMLESS: AttemptJudgement = { verdict: "allow", text: "", effect: "reads", rooms: [] };

/** A line may write literal paths elsewhere and have a part of unknown effect as well: the severer judgement counts. */
export async function judgeAttempt(deps: GuardDeps, attempted: Attempted): Promise<AttemptJudgement> {
  const [first = HARMLESS, second = HARMLESS] = await judgeParts(deps, attempted);
  const severe = severer(first.verdict, second.verdict) === first.verdict ? first : second;
  return { ...severe, rooms: [...first.rooms, ...second.rooms] };
}

async function judgeParts(deps: GuardDeps, attempted: Attempted): Promise<readonly AttemptJudgement[]> {
  const judged: AttemptJudgement[] = [];
  for (const { effect, targets } of await partsOf(deps, attempted.attempt)) {
    const { isLost, ...found } = await roomsAt(deps, targets, attempted);
    const part = await judgeRooms(deps, attempted, found, { effect });
    if (part.verdict === "allow" && isLost) throw lostRoom();
    judged.push(part);
  }
  return judged;
}

interface Deed {
  readonly effect: Effect;
  /** What a refusal says about what was prevented. */
  readonly done?: string;
}

/** The same for rooms that are known. */
export async function judgeRooms(
  deps: GuardDeps,
  attempter: Attempter,
  { rooms: found, moment }: { readonly rooms: readonly Room[]; readonly moment: Moment },
  { effect, done }: Deed,
): Promise<AttemptJudgement> {
  const { caller, sessionId } = attempter;
  const rooms: JudgedRoom[] = [];
  for (const room of found) {
    const judged = await judgeRoom(deps, caller, { room, moment }, effect, (held, given) =>
      giveTo(deps, sessionId, held, given),
    );
    if (judged !== null) rooms.push(judged);
  }
  const verdict = rooms.map((each) => each.verdict).reduce(severer, "allow");
  const decisive = rooms.find((each) => each.verdict === verdict);
  if (!decisive || verdict !== "refuse") return { verdict, text: "", effect, rooms };
  const text = verdictText(verdict, effect, await factsAbout(deps, decisive, attempter.cwd), done);
  return { verdict, text, effect, rooms };
}

/** Null if the room is not guarded, or if the caller holds its stick. Only for a holder, `onHolder` is called. */
export async function judgeRoom(
  deps: Deps,
  caller: Caller,
  { room: stored, moment }: { readonly room: Room; readonly moment: Moment },
  effect: Effect,
  onHolder: (room: Room, given: Given) => void = () => undefined,
): Promise<JudgedRoom | null> {
  if (stored.policy.guard === "off" || stored.state.status === "closed") return null;
  const room = afterSleep(stored, moment);
  const given = await lookAtRoom(deps, { room, moment }, { caller, about: [] });
  if (await isCaller(deps.store, caller, room.state.owner)) {
    onHolder(room, given);
    return null;
  }
  const stick = stickSeen(room, given, caller);
  return { room, stick, verdict: verdictOn(room.policy.guard, stick, effect) };
}

interface Part {
  readonly effect: Exclude<Effect, "reads">;
  readonly targets: readonly Target[];
}

interface Target {
  readonly path: string;
  /** Whether a room below it is meant, too. */
  readonly includesBelow: boolean;
}

/** A literal path. What is done to a directory is done to everything below. */
const literally = (path: string): Target => ({ path, includesBelow: true });

/** What the tool does, and to which paths; nothing for a tool that only reads. */
async function partsOf({ shellEffect, home }: GuardDeps, attempt: WriteAttempt): Promise<readonly Part[]> {
  if (attempt.kind === "edit") return [{ effect: "writes", targets: attempt.paths.map(literally) }];
  const { effect, targets, hidden } = await shellEffect(attempt.command);
  if (effect === "reads") return [];
  // If the paths are not known, the directory in which the tool runs stands for them, and what the line names.
  const named = mentionedPaths(attempt.command, home).map(({ path, isCut }) => ({ path, includesBelow: isCut }));
  const guessed = [{ path: ".", includesBelow: false }, ...named];
  const first = { effect, targets: targets?.map(literally) ?? guessed };
  return effect === "writes" && hidden !== null ? [first, { effect: "unknown", targets: guessed }] : [first];
}

/** The deepest room at each place where the tool may write. */
async function roomsAt(
  { store, host, writePlaces, guard }: GuardDeps,
  targets: readonly Target[],
  { cwd, attempt }: Attempted,
): Promise<{ readonly rooms: readonly Room[]; readonly moment: Moment; readonly isLost: boolean }> {
  const places: (readonly string[])[] = [];
  const from = attempt.kind === "shell" && attempt.directory !== null ? [cwd, attempt.directory] : [cwd];
  for (const { path, includesBelow } of targets) {
    const { above, below } = await writePlaces(path, from);
    places.push(...above, ...(includesBelow ? below.map((room) => [room]) : []));
  }
  const paths = new Set(places.flat());
  const { rooms, moment } = await store.readRooms({ host, paths: [...paths] });
  const byPath = new Map(rooms.map((room) => [room.path, room]));
  const found = places.flatMap((candidates) => candidates.flatMap((path) => byPath.get(path) ?? []).slice(0, 1));
  const known = new Set(rooms.map(({ id }) => id));
  const isLost = guard.guardedRooms().some(({ roomId, path }) => paths.has(path) && !known.has(roomId));
  return { rooms: [...new Set(found)], moment, isLost };
}

/** The tool runs, as without a store; but the log must say that nothing guards the room any more. */
function lostRoom(): Fault {
  const message = "The store does not know a guarded room at this place: it was removed or replaced.";
  return new Fault("store_unsafe", message, { next: "Run tt doctor.", retry: false });
}

/** Whether the name is the caller's, also one by which a room still knows it. */
export async function isCaller(store: Store, caller: Caller, name: AgentId | null): Promise<boolean> {
  if (name === null) return false;
  if (ownNames(caller).includes(name)) return true;
  return (await store.readAliases([name])).get(name) === caller.agentId;
}

function giveTo({ guard, sharedStore }: GuardDeps, sessionId: string | null, room: Room, given: Given): void {
  const until = leaseDeadline(room, given);
  const { turnId, owner: holder } = room.state;
  if (holder !== null && until !== null && sessionId !== null && !sharedStore) {
    guard.givePass(sessionId, { roomId: room.id, turnId, holder, readAt: given.moment.instant, until });
  }
}

function stickSeen(room: Room, given: Given, caller: Caller): StickSight {
  const { owner, reservation, paused } = room.state;
  if (owner !== null && takeoverGround(room, given) === null) return "held";
  if (paused !== null) return "paused";
  if (owner !== null) return "abandoned";
  return reservation === null || ownNames(caller).includes(reservation.agentId) ? "free" : "reserved";
}

export async function factsAbout(
  { store, workspace }: Deps,
  { room, stick }: JudgedRoom,
  cwd: string,
): Promise<StickFacts> {
  const { owner, reservation, paused, turnId } = room.state;
  const agentId: AgentId | null = stick === "paused" ? (paused?.by ?? null) : (owner ?? reservation?.agentId ?? null);
  const here = await workspace.locate(cwd);
  const { rooms } =
    "error" in here ? { rooms: [] } : await store.readRooms({ paths: here.candidates, host: room.host });
  const isHere = "error" in here ? false : deepest(here.candidates, rooms)?.id === room.id;
  return {
    stick,
    who: agentId && (room.presence.get(agentId)?.handle ?? agentId),
    since: await holdingSince(store, room),
    turnId,
    roomId: room.id,
    path: room.path,
    isElsewhere: !isHere,
  };
}

function deepest(candidates: readonly string[], rooms: readonly Room[]): Room | undefined {
  return candidates.flatMap((path) => rooms.find((room) => room.path === path) ?? [])[0];
}
