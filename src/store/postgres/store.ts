/**
 * The store on PostgreSQL. A change locks its room's row, so changes of one room happen one after the other and the order
 * of the log is the order of commits; see engine/ports/store.ts for the promises. A change takes two round trips: one
 * begins, locks and reads, the other writes and commits. Locks are taken in one order: the room, the project's handles,
 * mailboxes by their names.
 */
import { invariant } from "../../core/invariant.ts";
import type { ChangeTarget, Loaded, Store } from "../../engine/ports/store.ts";
import type { TakenHandles } from "../../room/rules/membership.ts";
import { createRoom } from "../../room/rules/room.ts";
import type { SessionKey } from "../../session/rules/session.ts";
import { text } from "../sql/codec.ts";
import {
  deepestRoom,
  type PathTarget,
  pathsToSearch,
  type RoomRows,
  readAliases,
  readRooms,
  roomsOf,
  roomWithId,
  selectAliases,
  selectHandles,
  selectHandlesAround,
  selectJoined,
  selectNote,
  selectRoomPaths,
  selectRooms,
} from "../sql/load.ts";
import { presentName, readName } from "../sql/mail-load.ts";
import { prunable } from "../sql/prune.ts";
import { saveChange, takesUpHandles } from "../sql/save.ts";
import { changedSession, type SqlAccess, selectSession, sharedMethods } from "../sql/shared-store.ts";
import { type SqlRow, type Statement, sql } from "../sql/statement.ts";
import { handles as handleTable, notes as noteTable, sessions } from "../sql/tables.ts";
import { notify } from "./bell.ts";
import { COMMIT } from "./connection.ts";
import { postgresHosts } from "./hosts.ts";
import { lookForPost, mailMethods } from "./mail.ts";
import type { PostgresSchema, Transaction } from "./schema.ts";
import { readServerSight, SERVER_SIGHT } from "./server-sight.ts";
import { momentOf, NOW, readTogether, rowsOfEach, writeTogether } from "./together.ts";
import { Overtaken } from "./transaction.ts";

/**
 * Differs as soon as any writing transaction on the server has begun or ended in between. A counter of our own would be
 * more exact, but every change of every room would wait for its one row.
 */
const CHANGE_MARK = sql`SELECT pg_current_snapshot()::text AS mark`;

export function postgresStore(schema: PostgresSchema): Store {
  return {
    kind: "postgres",
    ...roomMethods(schema),
    ...mailMethods(schema),
    hosts: postgresHosts(schema),
    ...sharedMethods({
      query: (statement) => schema.query(statement),
      run: (statements) =>
        schema.change(async (session) => {
          await session.begin(statements);
          await session.send([COMMIT]);
        }),
      prune: (steps, room) => prune(schema, steps, room),
    }),
    async changeSession({ project, agentId }, change) {
      const key = { project, agentId: readName(await schema.query(presentName(agentId))) };
      const looked = rowsOfEach(await schema.query(readTogether([selectSession(key), NOW])), 2);
      if (changedSession(key, looked[0] ?? [], change, () => momentOf(looked[1])) === null) return false;
      return schema.change(async (session) => {
        const [, rows = [], now] = await session.begin([lockSession(key), selectSession(key), NOW]);
        const changed = changedSession(key, rows, change, () => momentOf(now));
        if (changed === null) await session.rollback();
        else await session.send([sessions.upsert(changed), COMMIT]);
        return changed !== null;
      });
    },
    // The server reuses deleted space: its autovacuum finds it.
    compact: async () => false,
    changeMark: async () => text((await schema.query(CHANGE_MARK))[0]?.["mark"], "pg_current_snapshot"),
    // The answers of a server show if it was replaced.
    isInPlace: () => true,
    isUpToDate: () => schema.isUpToDate,
    lookAtServer: async () => readServerSight(await schema.query(SERVER_SIGHT), schema.isPooled),
    close: () => schema.close(),
  };
}

/** A row that may not exist yet is locked by its name. */
function lockSession({ project, agentId }: SessionKey): Statement {
  return lockName(`talking-stick session ${agentId} of ${project}`);
}

function lockName(name: string): Statement {
  return sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

function roomMethods(schema: PostgresSchema) {
  const readRoomsWhere = async (condition: Statement) => {
    const { rooms, members, waits, handoffs } = selectRooms(condition);
    const selects = [rooms, members, waits, handoffs, NOW];
    // One statement sees one state of the database.
    const answers = rowsOfEach(await schema.query(readTogether(selects)), selects.length);
    return { moment: momentOf(answers[4]), rooms: readRooms(roomRows(answers)) };
  };
  return {
    change(target, decide, { ring } = {}) {
      let handlesFirst = false;
      return schema.change(async (session) => {
        let loaded =
          "roomId" in target
            ? await loadRoom(session, target, (first) => session.begin(first), { handlesFirst })
            : await loadPath(session, target);
        let decision = loaded && decide(loaded);
        if (
          loaded &&
          decision &&
          takesUpHandles(loaded.created ? null : loaded.room, decision.change.room) &&
          !handlesFirst
        ) {
          // Mailboxes are locked already, and handles come before them: a sender that joins begins again.
          handlesFirst = loaded.post !== null;
          if (handlesFirst) throw new Overtaken();
          loaded = await lockHandles(session, loaded);
          decision = decide(loaded);
        }
        if (loaded === null || decision === null) {
          await session.rollback();
          return null;
        }
        const { moment, room, created } = loaded;
        const writes = saveChange(created ? null : room, decision.change, loaded);
        // Sent along with the commit, the ring costs no round trip. A change that fails rings for nothing, which is harmless.
        const agents = ring?.(room, decision.change) ?? null;
        const rings = agents === null ? [] : [notify(schema.channel, agents)];
        // Even a row lock is written to the log, and its commit would wait for the disk. So a change without writes rolls back.
        if (writes.length === 0) await session.rollback();
        else await session.send([...writeTogether(writes), COMMIT, ...rings]);
        return { moment, created, before: room, decision, rang: writes.length > 0 };
      });
    },
    async readRoom(roomId) {
      const { moment, rooms } = await readRoomsWhere(roomWithId(roomId));
      return rooms[0] ? { moment, room: rooms[0] } : null;
    },
    readRooms: (query) => readRoomsWhere(roomsOf(query)),
  } satisfies Partial<Store>;
}

/** A session that joins meanwhile takes up its old handle under this lock, so its handle is not deleted. */
const LOCK_ALL_HANDLES = sql`SELECT pg_advisory_xact_lock(hashtextextended('talking-stick handles of ' || p.project, 0))
    FROM (SELECT DISTINCT project FROM handles ORDER BY project) p`;

const prune = (
  schema: PostgresSchema,
  ...[steps, room]: Parameters<SqlAccess["prune"]>
): ReturnType<SqlAccess["prune"]> =>
  schema.change(async (session) => {
    const [found] = await session.begin([room ? sql`${prunable(room)} FOR UPDATE` : LOCK_ALL_HANDLES]);
    if (room && found?.length === 0) {
      await session.rollback();
      return null;
    }
    const answers = await session.send([...steps, COMMIT]);
    return steps.map((_, index) => countOf(answers[index]));
  });

/** The driver tells with the rows how many of them a statement touched. */
function countOf(answer: unknown): number {
  const { count } = (answer ?? {}) as { readonly count?: unknown };
  return typeof count === "number" ? count : 0;
}

type RoomTarget = Exclude<ChangeTarget, PathTarget>;

/**
 * Locks the room's row, then reads the rest. A statement sees the state from when it began, so what the last holder of the
 * lock committed is seen only by the next statement. The same goes for the time.
 */
async function loadRoom(
  session: Transaction,
  { roomId, noteId, post }: RoomTarget,
  send: Transaction["send"],
  { handlesFirst = false } = {},
): Promise<Loaded | null> {
  const { rooms, members, waits, handoffs } = selectRooms(roomWithId(roomId));
  const note = noteId === undefined ? [] : [selectNote(roomId, noteId)];
  const selects = [members, waits, handoffs, NOW, selectHandlesAround(roomId), selectAliases(roomId), ...note];
  const lock = sql`${rooms} FOR UPDATE`;
  const look = post && lookForPost(roomId, post);
  // Sent along, the look for the post costs no round trip of its own; but handles are locked before mailboxes.
  const along = look && !handlesFirst ? look.statements : [];
  const [locked = [], read = [], ...posted] = await send([lock, readTogether(selects), ...along]);
  if (locked.length === 0) return null;
  const answers = rowsOfEach(read, selects.length);
  const [room] = readRooms(roomRows([locked, ...answers]));
  invariant(room, "a locked room can be read");
  const [now, handles = [], aliases = [], notes = []] = answers.slice(3);
  const loaded: Loaded = {
    moment: momentOf(now),
    room,
    created: false,
    handles: asRead(handles),
    hasBeenHere: () => false,
    note: notes[0] ? noteTable.read(notes[0]) : null,
    aliases: readAliases(aliases),
    post: null,
  };
  if (!look) return loaded;
  if (!handlesFirst) return { ...loaded, post: look.read(posted) };
  const ready = await lockHandles(session, loaded);
  return { ...ready, post: look.read(await session.send(look.statements)) };
}

function roomRows([rooms = [], members = [], waits = [], handoffs = []]: readonly (readonly SqlRow[])[]): RoomRows {
  return { rooms, members, waits, handoffs };
}

async function loadPath(session: Transaction, target: PathTarget): Promise<Loaded | null> {
  const paths = pathsToSearch(target);
  const [found = []] = await session.begin([selectRoomPaths(target.host, paths)]);
  const roomId = deepestRoom(paths, found);
  if (roomId !== null) {
    const loaded = await loadRoom(session, { roomId }, (first) => session.send(first));
    // Pruning has removed it since it was found.
    if (loaded === null) throw new Overtaken();
    return loaded;
  }
  const room = createRoom(target.otherwise);
  const [handles = [], now] = await session.send([selectHandles(room.project), NOW]);
  return {
    moment: momentOf(now),
    room,
    created: true,
    handles: asRead(handles),
    hasBeenHere: () => false,
    note: null,
    aliases: new Map(),
    post: null,
  };
}

/**
 * Handles belong to the project, but only the room is locked. A change that gives out a handle, or takes one up again,
 * therefore locks the project's handles, reads them again and is decided again. Only joins do that, so only here is read
 * who has been in the room before.
 */
async function lockHandles(session: Transaction, loaded: Loaded): Promise<Loaded> {
  const { project } = loaded.room;
  const [, handles = [], joined = [], now] = await session.send([
    lockName(`talking-stick handles of ${project}`),
    selectHandles(project),
    selectJoined(loaded.room.id),
    NOW,
  ]);
  const names = new Set(joined.map((row) => row["from_agent_id"]));
  return {
    ...loaded,
    moment: momentOf(now),
    handles: asRead(handles),
    hasBeenHere: (agentId) => names.has(agentId),
  };
}

/** They came with the room: another round trip would cost more. */
function asRead(rows: readonly SqlRow[]): TakenHandles {
  return () => rows.map(handleTable.read);
}
