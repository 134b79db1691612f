/**
 * A store whose rows of sessions say what hooks told last. The shell of a hook may note in a file that its session is busy
 * or idle. The newer of row and note counts. A change that writes the row takes the note over.
 */
import type { ToldActivities } from "../engine/ports/activity.ts";
import type { Store } from "../engine/ports/store.ts";
import { type ToldActivity, withTold } from "./rules/newest-activity.ts";
import { isSameRow, type Session } from "./rules/session.ts";

export function rowsAsTold(store: Store, notes: ToldActivities): Store {
  const asTold = async (read: () => Promise<readonly Session[]>): Promise<readonly Session[]> => {
    const noted = notes.sessions();
    const rows = await read();
    const ids = rows.flatMap(({ sessionId }) => (sessionId !== null && noted.has(sessionId) ? [sessionId] : []));
    if (ids.length === 0) return rows;
    const told = new Map(ids.map((sessionId) => [sessionId, notes.read(sessionId)]));
    // A note that is gone by now was taken over by its row, perhaps since that was read.
    const latest = [...told.values()].includes("gone") ? await read() : rows;
    return latest.map((row) => withTold(row, noteIn(told.get(row.sessionId ?? ""))));
  };
  return {
    ...store,
    readSessions: (project) => asTold(() => store.readSessions(project)),
    findSessions: (sessionId) => asTold(() => store.findSessions(sessionId)),
    async changeSession(key, change) {
      const taken = new Map<string, ToldActivity>();
      const isWritten = await store.changeSession(key, (known, now) => {
        taken.clear();
        if (!known || known.sessionId === null) return change(known, now);
        const note = noteIn(notes.read(known.sessionId));
        const seen = withTold(known, note);
        const row = change(seen, now);
        // There is no other news, so the note goes on to say it.
        if (isSameRow(row, seen)) return known;
        if (note) taken.set(known.sessionId, note);
        return row;
      });
      if (isWritten) for (const [sessionId, note] of taken) notes.forget(sessionId, note);
      return isWritten;
    },
  };
}

function noteIn(found: ToldActivity | "gone" | null | undefined): ToldActivity | null {
  return found === undefined || found === "gone" ? null : found;
}
