/** What the features do around a commit, in their order. */
import type { EventType } from "../core/event.ts";
import type { AfterCommit, BeforeGrant, BeforeMove, DoneChange } from "../engine/around-commit.ts";
import type { QuietMarks } from "../engine/ports/activity.ts";
import type { Advice } from "../engine/ports/advice.ts";
import type { GuardFiles } from "../engine/ports/guard-files.ts";
import type { WriteAttempts } from "../engine/ports/write-attempts.ts";
import { settleAttempts, tellOfForeignWrites } from "../guard/foreign-writes.ts";
import { traceDeliveries } from "../mail/trace-deliveries.ts";
import type { Room } from "../room/rules/room.ts";
import { raiseFlagsIn } from "../session/hooked-sessions.ts";
import { noteSession } from "../session/note-session.ts";
import { flagSessionsWithoutRoom } from "../session/sessions-without-room.ts";
import { recordBegin } from "../stick/record-turn.ts";
import { losersBy } from "../stick/rules/turn-end.ts";

/** Inside the transaction: a pass of the turn that ends is worth nothing from here on. */
export function markingEndsOfTurns(guard: Pick<GuardFiles, "markOver">): BeforeMove {
  return ({ id: roomId, state: { turnId, owner: holder }, policy }) => {
    if (holder !== null) guard.markOver({ roomId, turnId, holder }, policy.guard !== "off");
  };
}

/** Inside the transaction: hooks of an agent that gets the stick start the program from here on. */
export function endingQuiet(quiet: Pick<QuietMarks, "close">): BeforeMove {
  return (_, { state: { owner, reservation } }) => {
    for (const agentId of [owner, reservation?.agentId]) if (agentId) quiet.close(agentId);
  };
}

/** Writes without the stick are told to both sides. */
export function foreignWriteNews(advice: Advice): AfterCommit {
  return { name: "news of foreign writes", run: (deps, done) => tellOfForeignWrites(deps, advice, done) };
}

export function attemptsBeforeGrant(attempts: WriteAttempts): BeforeGrant {
  return {
    name: "writes without the stick",
    run: (deps, caller, room) => settleAttempts(deps, attempts, caller, room, null),
  };
}

/**
 * What the shell of a hook reads follows the policy of the room, also that of a room that is guarded from its beginning. A
 * closed room guards nothing. After a switch is removed, the room is read again: another process may have just switched it on.
 */
export function guardSwitches(guard: GuardFiles): AfterCommit {
  const switchOnIf = ({ id: roomId, path, policy, state }: Room) => {
    const isGuarded = policy.guard !== "off" && state.status !== "closed";
    if (isGuarded) guard.switchOn({ roomId, path });
    return isGuarded;
  };
  return {
    name: "the guard's switch",
    run: ({ store }, done) => {
      if (switchOnIf(done.room) || !(has(done, "policy_changed") || has(done, "close"))) return null;
      guard.switchOff(done.room.id);
      return store.readRoom(done.room.id).then((now) => now && switchOnIf(now.room));
    },
  };
}

export const AFTER_COMMIT: readonly AfterCommit[] = [
  {
    name: "trace",
    run: (deps, { mail }) => {
      traceDeliveries(deps, mail);
      return null;
    },
  },
  {
    name: "flags of sessions that lost the stick",
    run: (deps, { room, events }) => {
      const losers = losersBy(events);
      return losers.length === 0 ? null : raiseFlagsIn(deps, room.project, losers);
    },
  },
  { name: "the tree at the beginning of a turn", run: recordBegin },
  {
    name: "the session of the member that joined",
    run: (deps, done) => {
      const isNews = has(done, "member_joined") || has(done, "session_superseded");
      return isNews ? noteSession(deps, done.caller, done.room.project) : null;
    },
  },
  {
    name: "flags of sessions without a room",
    run: (deps, done) =>
      deps.flags && has(done, "member_joined") ? flagSessionsWithoutRoom(deps, done.caller, done.room) : null,
  },
];

function has({ events }: DoneChange, wanted: EventType): boolean {
  return events.some(({ type }) => type === wanted);
}
