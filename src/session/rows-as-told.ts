/**
 * A store whose rows of sessions say what hooks told last. The shell of a hook may note in a file that its session is busy
 * or idle. Such a note is newer than the row, until a change writes a row that says it.
 */
import type { ToldActivities } from "../engine/ports/activity.ts";
import type { Store } from "../engine/ports/store.ts";
import { isSameRow, type Session } from "./rules/session.ts";
import { type ToldActivity, withTold } from "./rules/told-activity.ts";

type Notes = ReadonlyMap<string, ToldActivity>;

export function rowsAsTold(store: Store, notes: ToldActivities): Store {
  // The notes are read first. A note that a row includes by then was true when the read began.
  const asTold = async (read: () => Promise<readonly Session[]>): Promise<readonly Session[]> => {
    const told = notes.all();
    const rows = await read();
    return told.size === 0 ? rows : rows.map((row) => withTold(row, noteFor(row, told)));
  };
  return {
    ...store,
    readSessions: (project) => asTold(() => store.readSessions(project)),
    findSessions: (sessionId) => asTold(() => store.findSessions(sessionId)),
    async changeSession(key, change) {
      const told = notes.all();
      if (told.size === 0) return store.changeSession(key, change);
      const included = new Map<string, ToldActivity>();
      const isWritten = await store.changeSession(key, (known) => {
        included.clear();
        if (!known) return change(null);
        const note = noteFor(known, told);
        const seen = withTold(known, note);
        const row = change(seen);
        // There is no other news, so the note goes on to say it.
        if (isSameRow(row, seen)) return known;
        if (known.sessionId !== null && note) included.set(known.sessionId, note);
        return row;
      });
      if (isWritten) for (const [sessionId, note] of included) notes.forget(sessionId, note);
      return isWritten;
    },
  };
}

function noteFor({ sessionId }: Session, told: Notes): ToldActivity | undefined {
  return sessionId === null ? undefined : told.get(sessionId);
}
