/** The store on one SQLite file. Every change is one BEGIN IMMEDIATE transaction; see ports/store.ts for the promises. */
import type { RoomEvent } from "../../domain/event.ts";
import type { AgentId, EventId, RoomId } from "../../domain/ids.ts";
import type { Ask } from "../../domain/mail/ask.ts";
import type { Delivery } from "../../domain/mail/delivery.ts";
import type { CitedMessage } from "../../domain/mail/message.ts";
import type { MailDecision } from "../../domain/mail/take.ts";
import type { Note } from "../../domain/note/note.ts";
import type { Decision } from "../../domain/room/change.ts";
import { createRoom, type Room } from "../../domain/room/room.ts";
import type { Session, SessionKey } from "../../domain/session/session.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LoadedMailbox, MailWindow } from "../../ports/mail-store.ts";
import type { Changed, ChangeTarget, Loaded, RoomQuery, RoomSnapshot, Store } from "../../ports/store.ts";
import { corrupt } from "../sql/decode.ts";
import { deepestRoom, type PathTarget, pathsToSearch } from "../sql/find-room.ts";
import {
  type RoomCondition,
  roomsOf,
  roomWithId,
  selectAlias,
  selectAliases,
  selectEvents,
  selectHandles,
  selectNote,
  selectNotes,
  selectRoomPaths,
  selectRooms,
} from "../sql/load.ts";
import { selectWaitingAsks } from "../sql/mail-load.ts";
import { readAsk } from "../sql/mail-rows.ts";
import { prunable, pruneHistory } from "../sql/prune.ts";
import { readAliases, readEvent, readHandle, readNote, readRooms } from "../sql/read-rows.ts";
import { saveChange } from "../sql/save.ts";
import type { Connection } from "./connection.ts";
import { loadDeliveries, loadMessages, loadPost, loadWindow, nextSeq, saveWindow } from "./mail.ts";
import { changedSession, loadSessions, writeSession } from "./sessions.ts";
import { type Patience, readTransaction, whileBusy, writeTransaction } from "./transaction.ts";

const MOST_KNOWN_ROOMS = 32;

export class SqliteStore implements Store {
  readonly kind = "sqlite";
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #patience: Patience;
  #ownChanges = 0;
  /** Rooms as they were last read, each with the mark of the state it was read in. */
  readonly #known = new Map<RoomId, { readonly mark: string; readonly room: Room }>();

  constructor(connection: Connection, clock: Clock, patience: Patience) {
    this.#connection = connection;
    this.#clock = clock;
    this.#patience = patience;
  }

  change<Answer>(target: ChangeTarget, decide: (loaded: Loaded) => Decision<Answer>): Promise<Changed<Answer> | null> {
    return whileBusy(this.#connection, this.#patience, () =>
      writeTransaction(this.#connection, () => {
        const loaded = this.#load(target);
        if (loaded === null) return null;
        const decision = decide(loaded);
        this.#save(loaded, decision);
        return { moment: loaded.moment, created: loaded.created, before: loaded.room, decision };
      }),
    );
  }

  readRoom(roomId: RoomId): Promise<RoomSnapshot | null> {
    return this.#read(() => {
      const room = this.#room(roomId);
      return room ? { moment: this.#clock.now(), room } : null;
    });
  }

  readRooms(query: RoomQuery) {
    return this.#read(() => ({ moment: this.#clock.now(), rooms: this.#rooms(roomsOf(query)) }));
  }

  readEvents(roomId: RoomId, afterSeq: number, limit: number): Promise<readonly RoomEvent[]> {
    return this.#read(() => this.#connection.all(selectEvents(roomId, afterSeq, limit)).map(readEvent));
  }

  resolveAlias(agentId: AgentId): Promise<AgentId> {
    return this.#read(() => readAliases(this.#connection.all(selectAlias(agentId))).get(agentId) ?? agentId);
  }

  readNotes(
    roomId: RoomId,
    limit: number,
    { unresolvedOnly }: { readonly unresolvedOnly: boolean },
  ): Promise<readonly Note[]> {
    return this.#read(() => this.#connection.all(selectNotes(roomId, limit, unresolvedOnly)).map(readNote));
  }

  changeMailbox<Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
  ): Promise<MailDecision<Answer>> {
    return whileBusy(this.#connection, this.#patience, () =>
      writeTransaction(this.#connection, () => {
        const window = loadWindow(this.#connection, owner, look);
        const decision = decide({ moment: this.#clock.now(), window, freeSeq: nextSeq(this.#connection) });
        if (saveWindow(this.#connection, window, decision)) this.#ownChanges += 1;
        return decision;
      }),
    );
  }

  readMailbox(owner: AgentId, look: MailWindow) {
    return this.#read(() => ({ moment: this.#clock.now(), window: loadWindow(this.#connection, owner, look) }));
  }

  readMessages(ids: readonly EventId[]): Promise<readonly CitedMessage[]> {
    return this.#read(() => loadMessages(this.#connection, ids));
  }

  readWaitingAsks(): Promise<readonly Ask[]> {
    return this.#read(() => this.#connection.all(selectWaitingAsks(null)).map(readAsk));
  }

  readDeliveries(messageId: EventId): Promise<readonly Delivery[]> {
    return this.#read(() => loadDeliveries(this.#connection, messageId));
  }

  /** Looks first without the lock that only a writer needs: most of the time there is nothing to write. */
  async changeSession(key: SessionKey, change: (known: Session | null) => Session): Promise<boolean> {
    if ((await this.#read(() => changedSession(this.#connection, key, change))) === null) return false;
    return whileBusy(this.#connection, this.#patience, () =>
      writeTransaction(this.#connection, () => {
        const session = changedSession(this.#connection, key, change);
        if (session === null) return false;
        writeSession(this.#connection, session);
        this.#ownChanges += 1;
        return true;
      }),
    );
  }

  readSessions(project: string): Promise<readonly Session[]> {
    return this.#read(() => loadSessions(this.#connection, project));
  }

  prune(roomId: RoomId, lastSeq: number): Promise<boolean> {
    return whileBusy(this.#connection, this.#patience, () =>
      writeTransaction(this.#connection, () => {
        if (!this.#connection.get(prunable(roomId, lastSeq))) return false;
        for (const statement of pruneHistory(roomId)) this.#connection.run(statement);
        this.#ownChanges += 1;
        return true;
      }),
    );
  }

  /** SQLite counts the commits of other connections; our own are counted here. */
  changeMark(): Promise<string> {
    return whileBusy(this.#connection, this.#patience, () => this.#mark());
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #read<T>(work: () => T): Promise<T> {
    return whileBusy(this.#connection, this.#patience, () => readTransaction(this.#connection, work));
  }

  #load(target: ChangeTarget): Loaded | null {
    const found = "roomId" in target ? this.#room(target.roomId) : this.#deepestRoom(target);
    const room = found ?? ("otherwise" in target ? createRoom(target.otherwise) : null);
    if (room === null) return null;
    const noteId = "roomId" in target ? target.noteId : undefined;
    const post = "roomId" in target ? target.post : undefined;
    const noteRow = noteId === undefined ? undefined : this.#connection.get(selectNote(room.id, noteId));
    return {
      moment: this.#clock.now(),
      room,
      created: found === undefined,
      handles: this.#connection.all(selectHandles(room.project)).map(readHandle),
      note: noteRow ? readNote(noteRow) : null,
      aliases: readAliases(this.#connection.all(selectAliases(room.id))),
      post: post ? loadPost(this.#connection, room.id, post) : null,
    };
  }

  #deepestRoom(target: PathTarget): Room | undefined {
    const paths = pathsToSearch(target);
    const roomId = deepestRoom(paths, this.#connection.all(selectRoomPaths(target.host, paths)));
    if (roomId === null) return undefined;
    const room = this.#room(roomId);
    // Found by one index and lost by the other: a damaged file does that.
    if (!room) throw corrupt("rooms.room_id", "is not where its index says");
    return room;
  }

  #mark(): string {
    return `${String(this.#connection.value("PRAGMA data_version"))}.${this.#ownChanges}`;
  }

  /** A call reads its room more than once; while nothing was committed in between, once is enough. Only inside a transaction. */
  #room(roomId: RoomId): Room | undefined {
    const mark = this.#mark();
    const known = this.#known.get(roomId);
    if (known?.mark === mark) return known.room;
    const [room] = this.#rooms(roomWithId(roomId));
    if (this.#known.size >= MOST_KNOWN_ROOMS) this.#known.clear();
    if (room) this.#known.set(roomId, { mark, room });
    return room;
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
    if (statements.length > 0) this.#ownChanges += 1;
  }
}
