/** Notifies the person at this machine. The process that commits a cause does it, or the waiter that sees it first. */
import type { AfterCommit, AfterLostHolder } from "../engine/around-commit.ts";
import type { Deps } from "../engine/deps.ts";
import type { LocalPerson } from "./prompt-files.ts";
import { lostHolder, type Notice, noticesOf } from "./rules/notices.ts";

/** Never waits for the program that shows the notice. Resolves to what went wrong, or null. */
export type ShowNotice = (notice: Notice) => Promise<string | null>;

const NAME = "notification";

export function notifyAfterCommit(show: ShowNotice, me: LocalPerson): AfterCommit {
  return {
    name: NAME,
    run: (deps, done) => {
      const notices = noticesOf(done, me.is);
      return notices.length === 0 ? null : showAll(deps, show, notices);
    },
  };
}

async function showAll({ trace }: Deps, show: ShowNotice, notices: readonly Notice[]): Promise<void> {
  for (const notice of notices) {
    const wrong = await show(notice);
    if (wrong !== null) trace?.fault({ during: NAME, message: wrong });
  }
}

export function notifyOfLostHolder(show: ShowNotice): AfterLostHolder {
  return {
    name: NAME,
    run: async (deps, { roomId, turnId, ground }) => {
      const room = (await deps.store.readRoom(roomId))?.room;
      // Another agent may have taken the stick by now.
      const isStillLost = room !== undefined && room.state.owner !== null && room.state.turnId === turnId;
      if (isStillLost) await showAll(deps, show, [lostHolder(room, ground)]);
    },
  };
}
