/** Forgetting on SQLite; see engine/ports/prune-store.ts for the promises. */
import type { RoomId } from "../../core/ids.ts";
import type { PrunedRoom, PruneStore, RowCounts, StoredNames } from "../../engine/ports/prune-store.ts";
import type { Session, SessionKey } from "../../session/rules/session.ts";
import { nullable, whole } from "../sql/decode.ts";
import {
  forgetGone,
  SELECT_AGENTS,
  SELECT_MEMBERSHIPS,
  SELECT_SESSION_IDS,
  selectGoneSessions,
} from "../sql/forget-gone.ts";
import { countPrunable, type PruneStep, partsOf, prunable, pruneEvents, pruneRest, selectSpan } from "../sql/prune.ts";
import { readNames, Tally } from "../sql/prune-rows.ts";
import { readSession } from "../sql/session-rows.ts";
import type { SqliteParts } from "./parts.ts";

/** A file with fewer free pages is left as it is: the next changes fill them. */
const FEW_FREE_PAGES = 64;

export class SqlitePruneStore implements PruneStore {
  readonly #parts: SqliteParts;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
  }

  countPrunable(roomId: RoomId): Promise<number> {
    return this.#parts.schema.read(() =>
      whole(this.#parts.connection.get(countPrunable(roomId))?.["total"], "the count"),
    );
  }

  async prune(room: PrunedRoom): Promise<RowCounts | null> {
    const { connection } = this.#parts;
    const span = await this.#parts.schema.read(() => connection.get(selectSpan(room.roomId)));
    const parts = partsOf(nullable(whole)(span?.["oldest"] ?? null, "events.event_seq"), room.lastSeq);
    const tally = new Tally();
    for (const [index, upTo] of parts.entries()) {
      const rest = index === parts.length - 1 ? pruneRest(room) : [];
      const done = await this.#write(tally, [...pruneEvents(room.roomId, upTo), ...rest], room);
      if (!done) return index === 0 ? null : tally.counts;
    }
    return tally.counts;
  }

  readGoneSessions(since: string): Promise<readonly Session[]> {
    return this.#parts.schema.read(() => this.#parts.connection.all(selectGoneSessions(since)).map(readSession));
  }

  async forgetGone(since: string, sessions: readonly SessionKey[]): Promise<RowCounts> {
    const tally = new Tally();
    await this.#write(tally, forgetGone(since, sessions));
    return tally.counts;
  }

  readNames(): Promise<StoredNames> {
    const { connection } = this.#parts;
    return this.#parts.schema.read(() =>
      readNames({
        agents: connection.all(SELECT_AGENTS),
        sessionIds: connection.all(SELECT_SESSION_IDS),
        members: connection.all(SELECT_MEMBERSHIPS),
      }),
    );
  }

  compact(): Promise<boolean> {
    const { connection, mark, schema } = this.#parts;
    return schema.change(() => {
      if (Number(connection.value("PRAGMA freelist_count")) < FEW_FREE_PAGES) return false;
      connection.waitForDisk(true);
      connection.exec("VACUUM");
      mark.changed();
      // What was copied is in the log now, which is as long as the database; others at work may keep it so for a while.
      connection.get({ sql: "PRAGMA wal_checkpoint(TRUNCATE)", params: [] });
      return true;
    });
  }

  /** False when the room is in use. */
  #write(tally: Tally, steps: readonly PruneStep[], room?: PrunedRoom): Promise<boolean> {
    const { connection, mark, schema } = this.#parts;
    return schema.change(() => {
      connection.waitForDisk(true);
      return schema.transaction(() => {
        if (room && !connection.get(prunable(room))) return false;
        const changes = steps.map((step) => [step.kind, connection.run(step)] as const);
        for (const [kind, count] of changes) tally.add(kind, count);
        mark.changed();
        return true;
      });
    });
  }
}
