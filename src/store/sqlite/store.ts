/**
 * The store on one SQLite file. Every change is one BEGIN IMMEDIATE transaction; see engine/ports/store.ts for the promises, and
 * must-reach-disk.ts for which changes wait for the disk.
 */

import type { RoomEvent } from "../../core/event.ts";
import type { AgentId, EventId, NoteId, RoomId } from "../../core/ids.ts";
import type { Ask, Delivery, Receiver } from "../../core/mail-records.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { LoadedMailbox, MailChanged, MailOptions, MailWindow } from "../../engine/ports/mail-store.ts";
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
import type { Message } from "../../mail/rules/message.ts";
import type { MailDecision } from "../../mail/rules/take.ts";
import type { Decision } from "../../room/rules/change.ts";
import type { Note } from "../../room/rules/note.ts";
import { createRoom, type Room } from "../../room/rules/room.ts";
import type { Session, SessionKey } from "../../session/rules/session.ts";
import { newestChangeFirst } from "../newest-change-first.ts";
import { corrupt, idOf } from "../sql/decode.ts";
import { deepestRoom, type PathTarget, pathsToSearch } from "../sql/find-room.ts";
import {
  type RoomCondition,
  roomsOf,
  selectAlias,
  selectComing,
  selectDeparture,
  selectEvents,
  selectEventsBefore,
  selectHandles,
  selectNote,
  selectNotes,
  selectRoomPaths,
  selectRooms,
} from "../sql/load.ts";
import { readAliases, readEvent, readHandle, readNote, readRooms } from "../sql/read-rows.ts";
import { reclaimName, saveChange, supersede } from "../sql/save.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import { ChangeMark } from "./change-mark.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { Connection } from "./connection.ts";
import { KnownRooms, readsBackAsIs } from "./known-rooms.ts";
import { loadPost } from "./mail.ts";
import { SqliteMailStore } from "./mail-store.ts";
import { mustReachDisk } from "./must-reach-disk.ts";
import { SqlitePruneStore } from "./prune-store.ts";
import type { Schema } from "./schema.ts";
import { SqliteSessionStore } from "./session-store.ts";
import { onlyDone, readTransaction, UNDONE } from "./transaction.ts";
import { readWholeRoom, selectWholeRoom, type WholeRoom } from "./whole-room.ts";

export class SqliteStore implements Store {
  readonly kind = "sqlite";
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #schema: Schema;
  readonly #mark: ChangeMark;
  readonly #checkpoints: Checkpoints;
  readonly #known = new KnownRooms();
  readonly #mail: SqliteMailStore;
  readonly #sessions: SqliteSessionStore;
  readonly #pruning: SqlitePruneStore;

  constructor(connection: Connection, clock: Clock, schema: Schema) {
    this.#connection = connection;
    this.#clock = clock;
    this.#schema = schema;
    this.#mark = new ChangeMark(connection);
    this.#checkpoints = new Checkpoints(connection);
    const parts = { connection, clock, schema, mark: this.#mark, checkpoints: this.#checkpoints };
    this.#mail = new SqliteMailStore(parts);
    this.#sessions = new SqliteSessionStore(parts);
    this.#pruning = new SqlitePruneStore(parts);
  }

  change<Answer>(
    target: ChangeTarget,
    decide: (loaded: Loaded) => Decision<Answer> | null,
    { expectsEvents = true }: ChangeOptions = {},
  ): Promise<Changed<Answer> | null> {
    return this.#schema.change(() => {
      const changed = expectsEvents ? UNDONE : this.#change(target, decide, false);
      // Set again at once: whoever registers a wait has time now, and none when its turn comes.
      this.#connection.waitForDisk(true);
      return changed === UNDONE ? onlyDone(this.#change(target, decide, true)) : changed;
    });
  }

  #change<Answer>(
    target: ChangeTarget,
    decide: (loaded: Loaded) => Decision<Answer> | null,
    waitsForDisk: boolean,
  ): Changed<Answer> | null | typeof UNDONE {
    this.#connection.waitForDisk(waitsForDisk);
    const made = this.#schema.transaction(() => {
      const loaded = this.#load(target);
      if (loaded === null) return null;
      const decision = decide(loaded);
      if (decision === null) return null;
      if (!waitsForDisk && mustReachDisk(loaded, decision)) return UNDONE;
      this.#save(loaded, decision);
      return { loaded, decision };
    });
    if (made === null || made === UNDONE) return made;
    const { loaded, decision } = made;
    this.#remember(loaded, decision);
    this.#checkpoints.changed();
    return { moment: loaded.moment, created: loaded.created, before: loaded.room, decision, rang: false };
  }

  readRoom(roomId: RoomId): Promise<RoomSnapshot | null> {
    return this.#schema.read(() => {
      const mark = this.#mark.read();
      const whole = this.#room(roomId, mark);
      return whole ? { moment: this.#clock.now(), room: whole.room, mark } : null;
    });
  }

  readRooms(query: RoomQuery) {
    return this.#schema.read(() =>
      readTransaction(this.#connection, () => ({
        moment: this.#clock.now(),
        rooms: this.#roomsAt(query) ?? this.#rooms(roomsOf(query)),
      })),
    );
  }

  /** The rooms of a few paths are found by their index and are mostly known. Null for any other query. */
  #roomsAt({ host, paths, ...more }: RoomQuery): readonly Room[] | null {
    if (host === undefined || paths === undefined || Object.keys(more).length > 0) return null;
    const ids = this.#connection.all(selectRoomPaths(host, paths)).map(roomIdIn);
    return ids.flatMap((roomId) => this.#room(roomId)?.room ?? []).toSorted(newestChangeFirst);
  }

  readEvents(roomId: RoomId, afterSeq: number, limit: number): Promise<readonly RoomEvent[]> {
    return this.#schema.read(() => this.#connection.all(selectEvents(roomId, afterSeq, limit)).map(readEvent));
  }

  readEventsBefore(roomId: RoomId, beforeSeq: number, limit: number): Promise<readonly RoomEvent[]> {
    const newestFirst = selectEventsBefore(roomId, beforeSeq, limit);
    return this.#schema.read(() => this.#connection.all(newestFirst).map(readEvent).toReversed());
  }

  readDeparture(roomId: RoomId, names: readonly AgentId[]): Promise<RoomEvent | null> {
    return this.#schema.read(() => {
      const row = this.#connection.get(selectDeparture(roomId, names));
      return row ? readEvent(row) : null;
    });
  }

  resolveAlias(agentId: AgentId): Promise<AgentId> {
    return this.#schema.read(() => readAliases(this.#connection.all(selectAlias(agentId))).get(agentId) ?? agentId);
  }

  supersede(old: AgentId, agentId: AgentId): Promise<void> {
    return this.#runAll(supersede(old, agentId));
  }

  reclaimName(agentId: AgentId): Promise<void> {
    return this.#runAll([reclaimName(agentId)]);
  }

  #runAll(statements: readonly Statement[]): Promise<void> {
    return this.#schema.change(() => {
      this.#connection.waitForDisk(true);
      this.#schema.transaction(() => {
        for (const statement of statements) this.#connection.run(statement);
        this.#mark.changed();
      });
    });
  }

  readNotes(roomId: RoomId, limit: number, wanted: NoteQuery): Promise<readonly Note[]> {
    return this.#schema.read(() =>
      this.#connection
        .all(selectNotes(roomId, limit, wanted))
        .map(readNote)
        .toReversed(),
    );
  }

  readNote(roomId: RoomId, noteId: NoteId): Promise<Note | null> {
    return this.#schema.read(() => {
      const row = this.#connection.get(selectNote(roomId, noteId));
      return row ? readNote(row) : null;
    });
  }

  changeMailbox<Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
    options?: MailOptions,
  ): Promise<MailChanged<Answer>> {
    return this.#mail.changeMailbox(owner, look, decide, options);
  }

  readMailbox(owner: AgentId, look: MailWindow) {
    return this.#mail.readMailbox(owner, look);
  }

  readMessages(ids: readonly EventId[]): Promise<readonly Message[]> {
    return this.#mail.readMessages(ids);
  }

  readReceivers(agents: readonly AgentId[]): Promise<readonly Receiver[]> {
    return this.#mail.readReceivers(agents);
  }

  readWaitingAsks(): Promise<readonly Ask[]> {
    return this.#mail.readWaitingAsks();
  }

  readAsks(ids: readonly EventId[]): Promise<readonly Ask[]> {
    return this.#mail.readAsks(ids);
  }

  readDeliveries(messageId: EventId): Promise<readonly Delivery[]> {
    return this.#mail.readDeliveries(messageId);
  }

  changeSession(key: SessionKey, change: (known: Session | null) => Session): Promise<boolean> {
    return this.#sessions.changeSession(key, change);
  }

  readSessions(project: string): Promise<readonly Session[]> {
    return this.#sessions.readSessions(project);
  }

  findSessions(sessionId: string): Promise<readonly Session[]> {
    return this.#sessions.findSessions(sessionId);
  }

  countPrunable(roomId: RoomId): Promise<number> {
    return this.#pruning.countPrunable(roomId);
  }

  prune(room: PrunedRoom): Promise<RowCounts | null> {
    return this.#pruning.prune(room);
  }

  readGoneSessions(since: string): Promise<readonly Session[]> {
    return this.#pruning.readGoneSessions(since);
  }

  forgetGone(since: string, sessions: readonly SessionKey[]): Promise<RowCounts> {
    return this.#pruning.forgetGone(since, sessions);
  }

  readNames(): Promise<StoredNames> {
    return this.#pruning.readNames();
  }

  compact(): Promise<boolean> {
    return this.#pruning.compact();
  }

  changeMark(): Promise<string> {
    return this.#schema.read(() => this.#mark.read());
  }

  isInPlace(): boolean {
    return this.#connection.isInPlace();
  }

  isUpToDate(): boolean {
    return this.#schema.isUpToDate;
  }

  async close(): Promise<void> {
    this.#checkpoints.closing();
    this.#connection.close();
  }

  #load(target: ChangeTarget): Loaded | null {
    const found = "roomId" in target ? this.#room(target.roomId) : this.#deepestRoom(target);
    const room = found?.room ?? ("otherwise" in target ? createRoom(target.otherwise) : null);
    if (room === null) return null;
    const noteId = "roomId" in target ? target.noteId : undefined;
    const post = "roomId" in target ? target.post : undefined;
    const noteRow = noteId === undefined ? undefined : this.#connection.get(selectNote(room.id, noteId));
    return {
      moment: this.#clock.now(),
      room,
      created: found === undefined,
      handles: () => this.#connection.all(selectHandles(room.project)).map(readHandle),
      hasBeenHere: (agentId) => this.#connection.get(selectComing(room.id, agentId)) !== undefined,
      note: noteRow ? readNote(noteRow) : null,
      aliases: found?.aliases ?? new Map(),
      post: post ? loadPost(this.#connection, room.id, post) : null,
    };
  }

  #deepestRoom(target: PathTarget): WholeRoom | undefined {
    const paths = pathsToSearch(target);
    const roomId = deepestRoom(paths, this.#connection.all(selectRoomPaths(target.host, paths)));
    if (roomId === null) return undefined;
    const room = this.#room(roomId);
    // Found by one index and lost by the other: a damaged file does that.
    if (!room) throw corrupt("rooms.room_id", "is not where its index says");
    return room;
  }

  /** The mark comes before the room: a commit in between shows as a difference next time. */
  #room(roomId: RoomId, mark = this.#mark.read()): WholeRoom | undefined {
    const known = this.#known.get(roomId, mark);
    if (known) return known;
    const row = this.#connection.get(selectWholeRoom(roomId));
    if (!row) return undefined;
    const whole = readWholeRoom(row);
    this.#known.set(whole, mark);
    return whole;
  }

  #remember({ room: before, created, aliases }: Loaded, { change: { room } }: Decision<unknown>): void {
    if (created || !readsBackAsIs(before, room)) return;
    this.#known.set({ room, aliases }, this.#mark.current);
  }

  #rooms(condition: RoomCondition): readonly Room[] {
    const { rooms, members, waits, handoffs } = selectRooms(condition);
    return readRooms({
      rooms: this.#connection.all(rooms),
      members: this.#connection.all(members),
      waits: this.#connection.all(waits),
      handoffs: this.#connection.all(handoffs),
    });
  }

  #save(loaded: Loaded, { change }: Decision<unknown>): void {
    const statements = saveChange(loaded.created ? null : loaded.room, change, loaded);
    for (const statement of statements) this.#connection.run(statement);
    if (statements.length > 0) this.#mark.changed();
  }
}

function roomIdIn(row: SqlRow): RoomId {
  return idOf<RoomId>()(row["room_id"], "rooms.room_id");
}
