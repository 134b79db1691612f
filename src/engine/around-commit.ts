/**
 * What happens around the commit of a change to a room. The features that want to act then are listed in src/app, so that
 * the commit itself knows none of them.
 */
import type { RoomEvent } from "../core/event.ts";
import { Fault } from "../core/fault.ts";
import type { MailChange } from "../core/mail-records.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Deps } from "./deps.ts";

/**
 * Called inside the transaction that gives the stick to another agent or takes it from one, after the rules said yes. The
 * store may run a transaction again, and then calls again. A Fault that it throws fails the change, and nothing is written.
 */
export type BeforeMove = (before: Room, after: Room) => void;

/** A change that has been committed, and rung for. */
export interface DoneChange {
  /** Under the name that it acted by. */
  readonly caller: Caller;
  readonly before: Room;
  readonly room: Room;
  readonly events: readonly RoomEvent[];
  readonly mail: MailChange | undefined;
}

export interface AfterCommit {
  readonly name: string;
  /** Null where there is nothing to do, so that most commits wait for nothing. */
  readonly run: (deps: Deps, done: DoneChange) => Promise<unknown> | null;
}

/** Runs before a change that may give the caller the stick: what happened before it must be in the log before it. */
export interface BeforeGrant {
  readonly name: string;
  /** `room`: as it was read before the change. Null where there is nothing to do. */
  readonly run: (deps: Deps, caller: Caller, room: Room) => Promise<unknown> | null;
}

/** A fault here must not keep the stick from the caller. */
export async function beforeGrant(deps: Deps, caller: Caller, room: Room): Promise<void> {
  for (const { name, run } of deps.beforeGrant ?? []) {
    const wrong = await whatWentWrong(() => run(deps, caller, room));
    if (wrong) deps.trace?.fault({ during: name, message: wrong });
  }
}

/** What takes longer goes on by itself, as long as its process lives. */
const LONGEST_MS = 5000;

/** Runs one step after the other. The change is committed, so a failure here must not change the answer. */
export async function afterCommit(deps: Deps, done: DoneChange): Promise<void> {
  for (const { name, run } of deps.afterCommit ?? []) {
    const wrong = await whatWentWrong(() => run(deps, done));
    if (wrong) deps.trace?.fault({ during: name, message: wrong });
  }
}

async function whatWentWrong(step: () => Promise<unknown> | null): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`not done after ${LONGEST_MS} ms`), LONGEST_MS);
  });
  try {
    const work = step();
    return work && (await Promise.race([work.then(() => null), isLate]));
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

export function beforeMove({ beforeMove: marks = [] }: Deps, before: Room, after: Room): void {
  const isMove = before.state.owner !== after.state.owner || before.state.turnId !== after.state.turnId;
  if (isMove) for (const mark of marks) mark(before, after);
}
