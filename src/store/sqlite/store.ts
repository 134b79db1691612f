/**
 * The store on one SQLite file. Every change is one BEGIN IMMEDIATE transaction; see engine/ports/store.ts for the
 * promises, and `mustReachDisk` below for the changes that wait for the disk.
 */
import type { RoomId } from "../../core/ids.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Changed, ChangeTarget, Loaded, RoomQuery, Store } from "../../engine/ports/store.ts";
import type { Decision } from "../../room/rules/change.ts";
import { createRoom, type Room } from "../../room/rules/room.ts";
import { newestChangeFirst } from "../newest-change-first.ts";
import { corrupt } from "../sql/codec.ts";
import {
  deepestRoom,
  type PathTarget,
  pathsToSearch,
  readRoomId,
  readRooms,
  roomsOf,
  selectHandles,
  selectJoin,
  selectNote,
  selectRoomPaths,
  selectRooms,
} from "../sql/load.ts";
import { presentName, readName } from "../sql/mail-load.ts";
import { prunable } from "../sql/prune.ts";
import { saveChange, takesUpHandles } from "../sql/save.ts";
import { changedSession, selectSession, sharedMethods } from "../sql/shared-store.ts";
import { handles, notes, sessions } from "../sql/tables.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { SqliteConnection } from "./connection.ts";
import { ChangeMark, KnownRooms, matchesStoredOrder } from "./known.ts";
import { loadPost, mailMethods, type SqliteParts } from "./mail.ts";
import type { SqliteSchema } from "./schema.ts";
import { onlyDone, readTransaction, UNDONE } from "./transaction.ts";
import { readWholeRoom, selectWholeRoom, type WholeRoom } from "./whole-room.ts";

/** A file with fewer free pages is left as it is: the next changes fill them. */
const FEW_FREE_PAGES = 64;

export function sqliteStore(connection: SqliteConnection, clock: Clock, schema: SqliteSchema): Store {
  const mark = new ChangeMark(connection);
  const checkpoints = new Checkpoints(connection);
  const parts = { connection, clock, schema, mark, checkpoints };
  return {
    kind: "sqlite",
    ...roomMethods(parts),
    ...mailMethods(parts),
    ...sharedMethods({
      query: (statement) => schema.read(() => connection.all(statement)),
      run: async (statements) => {
        await durably(parts, () => connection.runAll(statements));
      },
      prune: (steps, room) =>
        durably(parts, () =>
          room && !connection.get(prunable(room)) ? null : steps.map((step) => connection.run(step)),
        ),
    }),
    // Looks first without the lock that only a writer needs: mostly there is nothing to write.
    async changeSession({ project, agentId }, change) {
      const changed = () => {
        const key = { project, agentId: readName(connection.all(presentName(agentId))) };
        return changedSession(key, connection.all(selectSession(key)), change, () => clock.now());
      };
      if ((await schema.read(changed)) === null) return false;
      return durably(parts, () => {
        const session = changed();
        if (session !== null) connection.run(sessions.upsert(session));
        return session !== null;
      });
    },
    compact: () =>
      schema.change(() => {
        if (Number(connection.value("PRAGMA freelist_count")) < FEW_FREE_PAGES) return false;
        connection.waitForDisk(true);
        connection.exec("VACUUM");
        mark.changed();
        // The copy is in the log now, which is as long as the database. Other processes may keep it so for a while.
        connection.value("PRAGMA wal_checkpoint(TRUNCATE)");
        return true;
      }),
    changeMark: () => schema.read(() => mark.read()),
    isInPlace: () => connection.isInPlace(),
    isUpToDate: () => schema.isUpToDate,
    close: async () => connection.close(checkpoints.beforeClose()),
  };
}

/** A change in one transaction that waits for the disk. */
function durably<T>({ connection, schema, mark, checkpoints }: SqliteParts, work: () => T): Promise<T> {
  return schema.change(() => {
    connection.waitForDisk(true);
    const done = schema.transaction(() => {
      const result = work();
      mark.changed();
      return result;
    });
    checkpoints.changed();
    return done;
  });
}

function roomMethods(parts: SqliteParts) {
  const { connection, clock, schema, mark, checkpoints } = parts;
  const known = new KnownRooms();

  /** The mark is read before the room: a commit in between then shows as a difference next time. */
  const loadRoom = (roomId: RoomId, state = mark.read()): WholeRoom | undefined => {
    const before = known.get(roomId, state);
    if (before) return before;
    const row = connection.get(selectWholeRoom(roomId));
    if (!row) return undefined;
    const whole = readWholeRoom(row);
    known.set(whole, state);
    return whole;
  };

  const change = <Answer>(
    target: ChangeTarget,
    decide: (loaded: Loaded) => Decision<Answer> | null,
    waitsForDisk: boolean,
  ): Changed<Answer> | null | typeof UNDONE => {
    connection.waitForDisk(waitsForDisk);
    const made = schema.transaction(() => {
      const loaded = load(parts, target, loadRoom);
      const decision = loaded && decide(loaded);
      if (loaded === null || decision === null) return null;
      if (!waitsForDisk && mustReachDisk(loaded, decision)) return UNDONE;
      if (connection.runAll(saveChange(loaded.created ? null : loaded.room, decision.change, loaded))) mark.changed();
      return { loaded, decision };
    });
    if (made === null || made === UNDONE) return made;
    const { loaded, decision } = made;
    const { moment, created, room: before, aliases } = loaded;
    const { room } = decision.change;
    if (!created && matchesStoredOrder(before, room)) known.set({ room, aliases }, mark.current);
    checkpoints.changed();
    return { moment, created, before, decision, rang: false };
  };

  const changeRoom: Store["change"] = (target, decide, { expectsEvents = true } = {}) =>
    schema.change(() => {
      const changed = expectsEvents ? UNDONE : change(target, decide, false);
      // Set again at once: a caller that registers a wait has time now, and none when its turn comes.
      connection.waitForDisk(true);
      return changed === UNDONE ? onlyDone(change(target, decide, true)) : changed;
    });

  const readRoom: Store["readRoom"] = (roomId) =>
    schema.read(() => {
      const state = mark.read();
      const whole = loadRoom(roomId, state);
      return whole ? { moment: clock.now(), room: whole.room, mark: state } : null;
    });

  const readAll: Store["readRooms"] = (query) =>
    schema.read(() =>
      readTransaction(connection, () => ({ moment: clock.now(), rooms: loadRooms(connection, query, loadRoom) })),
    );

  return { change: changeRoom, readRoom, readRooms: readAll };
}

type LoadRoom = (roomId: RoomId) => WholeRoom | undefined;

/** The rooms of a few paths are found by their index and are mostly known. */
function loadRooms(connection: SqliteConnection, query: RoomQuery, loadRoom: LoadRoom): readonly Room[] {
  const { host, paths, ...more } = query;
  if (host !== undefined && paths !== undefined && Object.keys(more).length === 0) {
    const ids = connection.all(selectRoomPaths(host, paths)).map(readRoomId);
    return ids.flatMap((roomId) => loadRoom(roomId)?.room ?? []).toSorted(newestChangeFirst);
  }
  const { rooms, members, waits, handoffs } = selectRooms(roomsOf(query));
  return readRooms({
    rooms: connection.all(rooms),
    members: connection.all(members),
    waits: connection.all(waits),
    handoffs: connection.all(handoffs),
  });
}

function load({ connection, clock }: SqliteParts, target: ChangeTarget, loadRoom: LoadRoom): Loaded | null {
  const found = "roomId" in target ? loadRoom(target.roomId) : loadDeepest(connection, target, loadRoom);
  const room = found?.room ?? ("otherwise" in target ? createRoom(target.otherwise) : null);
  if (room === null) return null;
  const { noteId, post } = "roomId" in target ? target : {};
  const noteRow = noteId === undefined ? undefined : connection.get(selectNote(room.id, noteId));
  return {
    moment: clock.now(),
    room,
    created: found === undefined,
    handles: () => connection.all(selectHandles(room.project)).map(handles.read),
    hasBeenHere: (agentId) => connection.get(selectJoin(room.id, agentId)) !== undefined,
    note: noteRow ? notes.read(noteRow) : null,
    aliases: found?.aliases ?? new Map(),
    post: post ? loadPost(connection, room.id, post) : null,
  };
}

function loadDeepest(connection: SqliteConnection, target: PathTarget, loadRoom: LoadRoom): WholeRoom | undefined {
  const paths = pathsToSearch(target);
  const roomId = deepestRoom(paths, connection.all(selectRoomPaths(target.host, paths)));
  if (roomId === null) return undefined;
  const room = loadRoom(roomId);
  // Found by one index and missing in the other: only a damaged file has that.
  if (!room) throw corrupt("rooms.room_id", "is not where its index says");
  return room;
}

/**
 * Whether a change waits until the disk has it (synchronous=FULL). A change with events does, and so do the handles that
 * they mention. A change without events, such as a registered wait or a heartbeat, survives the death of every process,
 * because the kernel has it. After a power failure it is worthless: the waiting process is gone, and the deadlines belong
 * to another boot. Nor can it damage later changes. The write-ahead log is read from its start up to the first frame
 * whose checksum does not fit, and each checksum covers all frames before it. A commit that waits syncs the whole log,
 * so everything written before an event is on the disk when the event is. Checkpoints sync the log first in both modes.
 */
function mustReachDisk({ room, created }: Loaded, { change }: Decision<unknown>): boolean {
  return created || change.events.length > 0 || takesUpHandles(room, change.room);
}
