/**
 * The store on PostgreSQL. A change locks its room's row, so changes of one room happen one after the other and
 * the order of the log is the order of commits; see engine/ports/store.ts for the promises. A change takes two round
 * trips: one that begins, locks and reads, one that writes and commits. Locks are taken in one order: the room, the
 * project's handles, mailboxes by their names.
 */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId, EventId, NoteId, RoomId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { Moment } from "../../core/time.ts";
import type { LoadedMailbox, MailOptions, MailWindow } from "../../engine/ports/mail-store.ts";
import type { PrunedRoom, RowCounts, StoredNames } from "../../engine/ports/prune-store.ts";
import type {
  Changed,
  ChangeOptions,
  ChangeTarget,
  Loaded,
  NoteQuery,
  RoomQuery,
  RoomSnapshot,
  Store,
} from "../../engine/ports/store.ts";
import type { MailDecision } from "../../mail/rules/take.ts";
import type { Decision } from "../../room/rules/change.ts";
import type { TakenHandles } from "../../room/rules/membership.ts";
import type { Note } from "../../room/rules/note.ts";
import { createRoom, type Room } from "../../room/rules/room.ts";
import type { Session as AgentSession, SessionKey } from "../../session/rules/session.ts";
import { text, whole } from "../sql/decode.ts";
import { deepestRoom, type PathTarget, pathsToSearch } from "../sql/find-room.ts";
import { selectGoneSessions } from "../sql/forget-gone.ts";
import {
  type RoomCondition,
  roomsOf,
  roomWithId,
  selectAlias,
  selectAliases,
  selectComers,
  selectDeparture,
  selectEvents,
  selectEventsBefore,
  selectHandles,
  selectHandlesAround,
  selectNote,
  selectNotes,
  selectRoomPaths,
  selectRooms,
} from "../sql/load.ts";
import { countPrunable } from "../sql/prune.ts";
import { type RoomRows, readAliases, readEvent, readHandle, readNote, readRooms } from "../sql/read-rows.ts";
import { reclaimName, saveChange, supersede, takesUpHandles } from "../sql/save.ts";
import { readSession } from "../sql/session-rows.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import { COMMIT } from "./connection.ts";
import type { Session } from "./database.ts";
import {
  changeMailbox,
  lookForPost,
  readAsks,
  readDeliveries,
  readMailbox,
  readMessages,
  readReceivers,
  readWaitingAsks,
} from "./mail.ts";
import { momentOf, NOW } from "./moment.ts";
import { notify } from "./notify.ts";
import { forget, prune, readNames } from "./prune.ts";
import type { Schema, Transaction } from "./schema.ts";
import { changeSession, findSessions, readSessions } from "./sessions.ts";
import { readTogether, rowsOfEach, writeTogether } from "./together.ts";
import { Overtaken } from "./transaction.ts";

/**
 * Differs as soon as any transaction on the server that writes has begun or ended in between. A counter of our
 * own would be more exact, and one row that every change of every room has to wait for.
 */
const CHANGE_MARK: Statement = { sql: "SELECT pg_current_snapshot()::text AS mark", params: [] };

export class PostgresStore implements Store {
  readonly kind = "postgres";
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  change<Answer>(
    target: ChangeTarget,
    decide: (loaded: Loaded) => Decision<Answer> | null,
    { ring }: ChangeOptions = {},
  ): Promise<Changed<Answer> | null> {
    let handlesFirst = false;
    return this.#schema.change(async (session) => {
      let loaded =
        "roomId" in target
          ? await loadRoom(session, target, (first) => session.begin(first), { handlesFirst })
          : await loadPath(session, target);
      if (loaded === null) {
        await session.rollback();
        return null;
      }
      let decision = decide(loaded);
      const takesUp = decision && takesUpHandles(loaded.created ? null : loaded.room, decision.change.room);
      if (takesUp && !handlesFirst) {
        // Mailboxes are locked already, and handles come before them: a sender that joins begins again.
        handlesFirst = loaded.post !== null;
        if (handlesFirst) throw new Overtaken();
        loaded = await lockHandles(session, loaded);
        decision = decide(loaded);
      }
      if (decision === null) {
        await session.rollback();
        return null;
      }
      const { moment, room, created } = loaded;
      const writes = saveChange(created ? null : room, decision.change, loaded);
      // Even a row lock is written down, and to commit it would wait for the disk: nothing changed, nothing stays.
      const agents = ring?.(room, decision.change) ?? null;
      if (writes.length === 0) await session.rollback();
      else await session.send([...writeTogether(writes), COMMIT, ...this.#ringFor(agents)]);
      return { moment, created, before: room, decision, rang: writes.length > 0 };
    });
  }

  async readRoom(roomId: RoomId): Promise<RoomSnapshot | null> {
    const { moment, rooms } = await this.#readRooms(roomWithId(roomId));
    return rooms[0] ? { moment, room: rooms[0] } : null;
  }

  readRooms(query: RoomQuery) {
    return this.#readRooms(roomsOf(query));
  }

  async readEvents(roomId: RoomId, afterSeq: number, limit: number): Promise<readonly RoomEvent[]> {
    return (await this.#schema.query(selectEvents(roomId, afterSeq, limit))).map(readEvent);
  }

  async readEventsBefore(roomId: RoomId, beforeSeq: number, limit: number): Promise<readonly RoomEvent[]> {
    return (await this.#schema.query(selectEventsBefore(roomId, beforeSeq, limit))).map(readEvent).toReversed();
  }

  async readDeparture(roomId: RoomId, names: readonly AgentId[]): Promise<RoomEvent | null> {
    const [row] = await this.#schema.query(selectDeparture(roomId, names));
    return row ? readEvent(row) : null;
  }

  async resolveAlias(agentId: AgentId): Promise<AgentId> {
    return readAliases(await this.#schema.query(selectAlias(agentId))).get(agentId) ?? agentId;
  }

  supersede(old: AgentId, agentId: AgentId): Promise<void> {
    return this.#runAll(supersede(old, agentId));
  }

  reclaimName(agentId: AgentId): Promise<void> {
    return this.#runAll([reclaimName(agentId)]);
  }

  async #runAll(statements: readonly Statement[]): Promise<void> {
    await this.#schema.change(async (session) => {
      await session.begin(statements);
      await session.send([COMMIT]);
    });
  }

  async readNotes(roomId: RoomId, limit: number, wanted: NoteQuery): Promise<readonly Note[]> {
    return (await this.#schema.query(selectNotes(roomId, limit, wanted))).map(readNote).toReversed();
  }

  async readNote(roomId: RoomId, noteId: NoteId): Promise<Note | null> {
    const [row] = await this.#schema.query(selectNote(roomId, noteId));
    return row ? readNote(row) : null;
  }

  changeMailbox<Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
    options: MailOptions = {},
  ) {
    return changeMailbox(this.#schema, owner, look, decide, options);
  }

  readMailbox(owner: AgentId, look: MailWindow) {
    return readMailbox(this.#schema, owner, look);
  }

  readMessages(ids: readonly EventId[]) {
    return readMessages(this.#schema, ids);
  }

  readReceivers(agents: readonly AgentId[]) {
    return readReceivers(this.#schema, agents);
  }

  readWaitingAsks() {
    return readWaitingAsks(this.#schema);
  }

  readAsks(ids: readonly EventId[]) {
    return readAsks(this.#schema, ids);
  }

  readDeliveries(messageId: EventId) {
    return readDeliveries(this.#schema, messageId);
  }

  changeSession(key: SessionKey, change: (known: AgentSession | null) => AgentSession): Promise<boolean> {
    return changeSession(this.#schema, key, change);
  }

  readSessions(project: string): Promise<readonly AgentSession[]> {
    return readSessions(this.#schema, project);
  }

  findSessions(sessionId: string): Promise<readonly AgentSession[]> {
    return findSessions(this.#schema, sessionId);
  }

  async countPrunable(roomId: RoomId): Promise<number> {
    const [row] = await this.#schema.query(countPrunable(roomId));
    return whole(row?.["total"], "the count");
  }

  prune(room: PrunedRoom): Promise<RowCounts | null> {
    return prune(this.#schema, room);
  }

  async readGoneSessions(since: string): Promise<readonly AgentSession[]> {
    return (await this.#schema.query(selectGoneSessions(since))).map(readSession);
  }

  forgetGone(since: string, sessions: readonly SessionKey[]): Promise<RowCounts> {
    return forget(this.#schema, since, sessions);
  }

  readNames(): Promise<StoredNames> {
    return readNames(this.#schema);
  }

  /** The server reuses what was deleted: its autovacuum finds it. */
  async compact(): Promise<boolean> {
    return false;
  }

  async changeMark(): Promise<string> {
    const [row] = await this.#schema.query(CHANGE_MARK);
    return text(row?.["mark"], "pg_current_snapshot");
  }

  /** A server that became another one is found out by the statements that it gets. */
  isInPlace(): boolean {
    return true;
  }

  isUpToDate(): boolean {
    return this.#schema.isUpToDate;
  }

  close(): Promise<void> {
    return this.#schema.close();
  }

  /** Sent along with the commit, it costs no round trip of its own. A change that fails rings in vain, which is harmless. */
  #ringFor(agents: readonly AgentId[] | null): readonly Statement[] {
    return agents === null ? [] : [notify(this.#schema.name, agents)];
  }

  /** One statement sees one state of the database. */
  async #readRooms(condition: RoomCondition): Promise<{ readonly moment: Moment; readonly rooms: readonly Room[] }> {
    const { rooms, members, waits, handoffs } = selectRooms(condition);
    const selects = [rooms, members, waits, handoffs, NOW];
    const answers = rowsOfEach(await this.#schema.query(readTogether(selects)), selects.length);
    return { moment: momentOf(answers[4]), rooms: readRooms(roomRows(answers)) };
  }
}

type RoomTarget = Exclude<ChangeTarget, PathTarget>;

/**
 * Locks the room's row, then reads the rest: a statement sees the state from when it began, so what others had
 * committed before they let go of the lock is seen only by the next one. The same goes for the time.
 */
async function loadRoom(
  session: Session,
  { roomId, noteId, post }: RoomTarget,
  send: Session["send"],
  { handlesFirst = false } = {},
): Promise<Loaded | null> {
  const { rooms, members, waits, handoffs } = selectRooms(roomWithId(roomId));
  const note = noteId === undefined ? [] : [selectNote(roomId, noteId)];
  const selects = [members, waits, handoffs, NOW, selectHandlesAround(roomId), selectAliases(roomId), ...note];
  const lock = { ...rooms, sql: `${rooms.sql} FOR UPDATE` };
  const look = post && lookForPost(roomId, post);
  // Sent along, what the post asks for costs no round trip of its own; but handles are locked before mailboxes.
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
    note: notes[0] ? readNote(notes[0]) : null,
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
    // Pruning has removed it since it was looked for.
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
 * Handles belong to the project, but only the room is locked. A change that gives one out, or takes one up again,
 * therefore locks the project's handles, reads them again and is decided again. Such changes are rare: joins. So only
 * then is it asked who has been in the room before.
 */
async function lockHandles(session: Session, loaded: Loaded): Promise<Loaded> {
  const { project } = loaded.room;
  const [, handles = [], comers = [], now] = await session.send([
    { sql: "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", params: [`talking-stick handles of ${project}`] },
    selectHandles(project),
    selectComers(loaded.room.id),
    NOW,
  ]);
  const names = new Set(comers.map((row) => row["from_agent_id"]));
  return {
    ...loaded,
    moment: momentOf(now),
    handles: asRead(handles),
    hasBeenHere: (agentId) => names.has(agentId),
  };
}

/** They came with the room: another round trip would cost more. */
function asRead(rows: readonly SqlRow[]): TakenHandles {
  return () => rows.map(readHandle);
}
