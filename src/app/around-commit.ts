/** What the features do around a commit, in their order. */
import type { EventType } from "../core/event.ts";
import type { AfterCommit, BeforeMove, DoneChange } from "../engine/around-commit.ts";
import { traceDeliveries } from "../mail/trace-deliveries.ts";
import { raiseFlagsIn } from "../session/hooked-sessions.ts";
import { noteSession } from "../session/note-session.ts";
import { flagSessionsWithoutRoom } from "../session/sessions-without-room.ts";
import { losersBy } from "../stick/rules/turn-end.ts";

export const BEFORE_MOVE: readonly BeforeMove[] = [];

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
