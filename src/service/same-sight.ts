/**
 * Whether a waiter's look shows only what the last one showed, so that there is nothing to decide anew. Fifty who
 * wait look every two seconds, and mostly nothing has happened.
 *
 * What time alone changes is left to the full look: the room's next deadline ends this, as do a dead process, a sign
 * of life, and sleep of the machine. Whatever else time brings, such as another's wait running out, is in no hurry
 * and found by the full look that is made every few seconds all the same.
 */
import type { Evidence } from "../domain/given.ts";
import { nextRoomDeadline } from "../domain/stick/wait.ts";
import { elapsedMs, hasPassed, type Instant } from "../domain/time.ts";
import type { RoomSnapshot } from "../ports/store.ts";

const FULL_LOOK_EVERY_MS = 10_000;
/** A dead call before one is passed over in any case; this is only how soon its grace begins. */
const LOOK_AHEAD_EVERY_MS = 30_000;

/** What a full look was based on. */
export interface Sight {
  readonly snapshot: RoomSnapshot;
  readonly evidence: Evidence;
  /** When those who wait before one were last looked at, too. */
  readonly aheadAt: Instant;
}

/** Whether it is time to look also at those who wait before one. */
export function isTimeToLookAhead(before: Sight | undefined, { room, moment }: RoomSnapshot): boolean {
  if (before?.snapshot.room !== room) return true;
  return elapsedMs(before.aheadAt, moment.instant) >= LOOK_AHEAD_EVERY_MS;
}

export function isSameSight(before: Sight, now: Sight): boolean {
  const { room, moment } = now.snapshot;
  const deadline = nextRoomDeadline(room);
  return (
    before.snapshot.room === room &&
    elapsedMs(before.snapshot.moment.instant, moment.instant) < FULL_LOOK_EVERY_MS &&
    before.snapshot.moment.suspendedMs === moment.suspendedMs &&
    !(deadline && hasPassed(deadline, moment.instant)) &&
    !hasSigns(now.evidence) &&
    sameVerdicts(before.evidence, now.evidence)
  );
}

function hasSigns({ activity }: Evidence): boolean {
  for (const sign of activity.values()) if (sign !== null) return true;
  return false;
}

/** The full look has seen more processes than this one; of those that both have seen, none may differ. */
function sameVerdicts({ verdicts: before }: Evidence, { verdicts }: Evidence): boolean {
  for (const [process, verdict] of verdicts) if (verdict === "gone" || before.get(process) !== verdict) return false;
  return true;
}
