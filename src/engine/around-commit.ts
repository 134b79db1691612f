/**
 * What happens around the commit of a change to a room. The features that want to act then are listed in src/app, so that
 * the commit itself knows none of them.
 */
import type { RoomEvent, TakeoverGround } from "../core/event.ts";
import { Fault } from "../core/fault.ts";
import type { RoomId } from "../core/ids.ts";
import type { MailChange } from "../core/mail-records.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Deps } from "./deps.ts";

/**
 * Called inside the transaction that gives or reserves the stick to another agent, or takes it from one, after the rules
 * said yes. The store may run a transaction again, and then calls again. A Fault that it throws fails the change, and nothing is written.
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

/** After a change of a mailbox alone, such as an acknowledgement. */
export interface AfterMail {
  readonly name: string;
  /** Null where there is nothing to do. */
  readonly run: (deps: Deps, mail: MailChange) => Promise<unknown> | null;
}

/** Runs before a change that may give the caller the stick: what happened before it must be in the log before it. */
export interface BeforeGrant {
  readonly name: string;
  /** `room`: as it was read before the change. Null where there is nothing to do. */
  readonly run: (deps: Deps, caller: Caller, room: Room) => Promise<unknown> | null;
}

/** A waiter has found that the holder is gone or silent, so that the stick may be taken. */
export interface AfterLostHolder {
  readonly name: string;
  readonly run: (deps: Deps, lost: LostHolder) => Promise<unknown>;
}

export interface LostHolder {
  readonly roomId: RoomId;
  readonly turnId: number;
  readonly ground: Exclude<TakeoverGround, "operator_requested">;
}

/** A fault here must not keep the stick from the caller. */
export function beforeGrant(deps: Deps, caller: Caller, room: Room): Promise<void> {
  return inOrder(deps, deps.beforeGrant, ({ run }) => run(deps, caller, room));
}

/** What takes longer goes on by itself, as long as its process lives. */
const LONGEST_MS = 5000;

/** The change is committed, so a failure here must not change the answer. */
export function afterCommit(deps: Deps, done: DoneChange): Promise<void> {
  return inOrder(deps, deps.afterCommit, ({ run }) => run(deps, done));
}

export function afterMail(deps: Deps, mail: MailChange): Promise<void> {
  return inOrder(deps, deps.afterMail, ({ run }) => run(deps, mail));
}

export function afterLostHolder(deps: Deps, lost: LostHolder): Promise<void> {
  return inOrder(deps, deps.afterLostHolder, ({ run }) => run(deps, lost));
}

/** Runs one step after the other. A fault goes to the trace. */
async function inOrder<Step extends { readonly name: string }>(
  deps: Deps,
  steps: readonly Step[] = [],
  start: (step: Step) => Promise<unknown> | null,
): Promise<void> {
  for (const step of steps) {
    const wrong = await whatWentWrong(() => start(step));
    if (wrong) deps.trace?.fault({ during: step.name, message: wrong });
  }
}

async function whatWentWrong(step: () => Promise<unknown> | null): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const work = step();
    // Most steps have nothing to wait for, and the first timer takes Node 20 a third of a millisecond.
    if (work === null) return null;
    const isLate = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`not done after ${LONGEST_MS} ms`), LONGEST_MS);
    });
    return await Promise.race([work.then(() => null), isLate]);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  } finally {
    if (timer) clearTimeout(timer);
  }
}

export function beforeMove({ beforeMove: marks = [] }: Deps, before: Room, after: Room): void {
  const [{ state: was }, { state: is }] = [before, after];
  const isReserved = was.reservation?.agentId !== is.reservation?.agentId;
  const isMove = was.owner !== is.owner || was.turnId !== is.turnId || isReserved;
  if (isMove) for (const mark of marks) mark(before, after);
}
