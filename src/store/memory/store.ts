/** The store in one process's memory: the same promises as the others, except that nothing outlives the process. */

import type { RoomEvent } from "../../core/event.ts";
import type { AgentId, EventId, Handle, NoteId, RoomId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { Ask, Delivery, Receiver } from "../../core/mail-records.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { LoadedMailbox, MailChanged, MailOptions, MailWindow } from "../../engine/ports/mail-store.ts";
import type { PrunedRoom, RowCounts, StoredNames } from "../../engine/ports/prune-store.ts";
import type {
  Changed,
  ChangeTarget,
  Loaded,
  NoteQuery,
  RoomQuery,
  RoomSnapshot,
  Store,
} from "../../engine/ports/store.ts";
import { takenIn } from "../../mail/rules/mail-change.ts";
import type { Message } from "../../mail/rules/message.ts";
import type { MailDecision } from "../../mail/rules/take.ts";
import { type Aliases, evolveAliases, withAlias } from "../../room/rules/alias.ts";
import type { Decision } from "../../room/rules/change.ts";
import { whoDeparted } from "../../room/rules/departure.ts";
import type { TakenHandle } from "../../room/rules/membership.ts";
import { evolveNotes, type Note } from "../../room/rules/note.ts";
import { createRoom, type Presence, type Room } from "../../room/rules/room.ts";
import type { Session, SessionKey } from "../../session/rules/session.ts";
import { newestChangeFirst } from "../newest-change-first.ts";
import { MemoryMail } from "./mail.ts";
import { isExpiry, matches, withoutMember } from "./room-records.ts";
import { MemorySessions } from "./sessions.ts";

/** Everything of one room; replaced whole by a change, never altered. */
interface RoomRecord {
  readonly room: Room;
  readonly events: readonly RoomEvent[];
  readonly notes: ReadonlyMap<NoteId, Note>;
}

export function openMemoryStore(options: { readonly clock: Clock }): Store {
  return new MemoryStore(options.clock);
}

const COMINGS: readonly string[] = ["member_joined", "session_superseded"];

class MemoryStore implements Store {
  readonly kind = "memory";
  readonly #clock: Clock;
  readonly #records = new Map<RoomId, RoomRecord>();
  /** By project, then by handle. */
  readonly #handles = new Map<string, Map<Handle, AgentId>>();
  #aliases: Aliases = new Map();
  readonly #mail = new MemoryMail((agentId) => this.#aliases.get(agentId) ?? agentId);
  readonly #sessions = new MemorySessions();
  #changes = 0;
  #open = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async change<Answer>(
    target: ChangeTarget,
    decide: (loaded: Loaded) => Decision<Answer> | null,
  ): Promise<Changed<Answer> | null> {
    this.#assertOpen();
    const found = this.#find(target);
    const room = (found && this.#present(found)) ?? ("otherwise" in target ? createRoom(target.otherwise) : null);
    if (room === null) return null;
    const noteId = "roomId" in target ? target.noteId : undefined;
    const post = "roomId" in target ? target.post : undefined;
    const loaded: Loaded = {
      moment: this.#clock.now(),
      room,
      created: found === undefined,
      handles: () => this.#handlesOf(room.project),
      hasBeenHere: (agentId) =>
        (found?.events ?? []).some(({ type, fromAgentId }) => fromAgentId === agentId && COMINGS.includes(type)),
      note: (noteId !== undefined && found?.notes.get(noteId)) || null,
      aliases: new Map([...this.#aliases].filter(([, agentId]) => room.state.members.has(agentId))),
      post: post ? this.#mail.post(post, [...room.state.members.keys()]) : null,
    };
    const decision = decide(loaded);
    if (decision === null) return null;
    this.#save(found, loaded, decision);
    return { moment: loaded.moment, created: loaded.created, before: room, decision, rang: false };
  }

  async readRoom(roomId: RoomId): Promise<RoomSnapshot | null> {
    this.#assertOpen();
    const record = this.#records.get(roomId);
    return record ? { moment: this.#clock.now(), room: this.#present(record), mark: String(this.#changes) } : null;
  }

  async readRooms(query: RoomQuery) {
    this.#assertOpen();
    const rooms = [...this.#records.values()]
      .map((record) => this.#present(record))
      .filter((room) => matches(room, query));
    return { moment: this.#clock.now(), rooms: rooms.toSorted(newestChangeFirst) };
  }

  async readEvents(roomId: RoomId, afterSeq: number, limit: number): Promise<readonly RoomEvent[]> {
    this.#assertOpen();
    const events = this.#records.get(roomId)?.events ?? [];
    return events.filter(({ seq }) => seq > afterSeq).slice(0, limit);
  }

  async readEventsBefore(roomId: RoomId, beforeSeq: number, limit: number): Promise<readonly RoomEvent[]> {
    this.#assertOpen();
    const events = this.#records.get(roomId)?.events ?? [];
    return events.filter(({ seq }) => seq < beforeSeq).slice(-limit);
  }

  async readDeparture(roomId: RoomId, names: readonly AgentId[]): Promise<RoomEvent | null> {
    this.#assertOpen();
    const events = this.#records.get(roomId)?.events ?? [];
    return events.findLast((event) => names.includes(whoDeparted(event) as AgentId)) ?? null;
  }

  async resolveAlias(agentId: AgentId): Promise<AgentId> {
    this.#assertOpen();
    return this.#aliases.get(agentId) ?? agentId;
  }

  async supersede(old: AgentId, agentId: AgentId): Promise<void> {
    this.#assertOpen();
    this.#aliases = withAlias(this.#aliases, old, agentId);
    this.#mail.merge(old, agentId);
    this.#sessions.merge(old, agentId);
    this.#changes += 1;
  }

  async reclaimName(agentId: AgentId): Promise<void> {
    this.#assertOpen();
    this.#aliases = new Map([...this.#aliases].filter(([former]) => former !== agentId));
    this.#changes += 1;
  }

  async readNotes(roomId: RoomId, limit: number, { unresolvedOnly, before }: NoteQuery) {
    this.#assertOpen();
    const notes = [...(this.#records.get(roomId)?.notes.values() ?? [])];
    const end = before === undefined ? notes.length : notes.findIndex(({ noteId }) => noteId === before);
    const older = notes.slice(0, Math.max(0, end));
    return older.filter(({ resolvedAt }) => !unresolvedOnly || resolvedAt === null).slice(-limit);
  }

  async readNote(roomId: RoomId, noteId: NoteId) {
    this.#assertOpen();
    return this.#records.get(roomId)?.notes.get(noteId) ?? null;
  }

  async changeMailbox<Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
    { withMessages = false }: MailOptions = {},
  ): Promise<MailChanged<Answer>> {
    this.#assertOpen();
    const window = this.#mail.window(owner, look);
    const decision = decide({ moment: this.#clock.now(), window, freeSeq: this.#mail.nextSeq });
    this.#mail.save(decision.mail);
    this.#changes += 1;
    return withMessages ? { ...decision, messages: this.#mail.messages(takenIn(decision.mail)) } : decision;
  }

  async readMailbox(owner: AgentId, look: MailWindow) {
    this.#assertOpen();
    return { moment: this.#clock.now(), window: this.#mail.window(owner, look) };
  }

  async readMessages(ids: readonly EventId[]): Promise<readonly Message[]> {
    this.#assertOpen();
    return this.#mail.messages(ids);
  }

  async readReceivers(agents: readonly AgentId[]): Promise<readonly Receiver[]> {
    this.#assertOpen();
    return this.#mail.receivers(agents);
  }

  async readWaitingAsks(): Promise<readonly Ask[]> {
    this.#assertOpen();
    return this.#mail.waitingAsks;
  }

  async readAsks(ids: readonly EventId[]): Promise<readonly Ask[]> {
    this.#assertOpen();
    return this.#mail.asks(ids);
  }

  async readDeliveries(messageId: EventId): Promise<readonly Delivery[]> {
    this.#assertOpen();
    return this.#mail.deliveries(messageId);
  }

  async changeSession({ project, agentId }: SessionKey, change: (known: Session | null) => Session): Promise<boolean> {
    this.#assertOpen();
    const key = { project, agentId: this.#aliases.get(agentId) ?? agentId };
    const changed = this.#sessions.change(key, (known) => ({ ...change(known), ...key }));
    if (changed) this.#changes += 1;
    return changed;
  }

  async readSessions(project: string): Promise<readonly Session[]> {
    this.#assertOpen();
    return this.#sessions.of(project);
  }

  async findSessions(sessionId: string): Promise<readonly Session[]> {
    this.#assertOpen();
    return this.#sessions.withId(sessionId);
  }

  async countPrunable(roomId: RoomId): Promise<number> {
    this.#assertOpen();
    const record = this.#records.get(roomId);
    if (!record) return 0;
    const notes = [...record.notes.values()].filter(({ resolvedAt }) => resolvedAt !== null);
    return this.#oldEvents(record).length + notes.length + this.#mail.endedIn(roomId).length;
  }

  async prune({ roomId, lastSeq, gone, mayGo }: PrunedRoom): Promise<RowCounts | null> {
    this.#assertOpen();
    const record = this.#records.get(roomId);
    const { state } = record?.room ?? {};
    if (!record || state?.lastSeq !== lastSeq || (state.status !== "idle" && state.status !== "closed")) return null;
    const old = this.#oldEvents(record);
    const ended = this.#mail.endedIn(roomId);
    this.#mail.forget(old);
    this.#mail.forgetDeliveries(ended);
    const events = record.events.filter((event) => !old.includes(event));
    const notes = new Map([...record.notes].filter(([, note]) => note.resolvedAt === null));
    const room = gone.reduce(withoutMember, record.room);
    const isEmpty = events.length + notes.size + room.state.members.size === 0;
    const goes = mayGo && isEmpty && state.turnId === 0 && state.status === "idle" && state.handoff === null;
    if (goes) this.#records.delete(roomId);
    else this.#records.set(roomId, { room, events, notes });
    this.#changes += 1;
    return {
      events: old.length,
      notes: record.notes.size - notes.size,
      deliveries: ended.length,
      members: gone.length,
      rooms: goes ? 1 : 0,
    };
  }

  #oldEvents({ room, events }: RoomRecord): readonly RoomEvent[] {
    const candidates = events.filter(({ seq }) => seq !== room.state.handoff?.seq);
    return candidates.filter((event) => !this.#mail.isUnread(event));
  }

  async readGoneSessions(since: string): Promise<readonly Session[]> {
    this.#assertOpen();
    return this.#sessions.all.filter(({ agentId }) => this.#isGone(agentId, since));
  }

  async forgetGone(since: string, sessions: readonly SessionKey[]): Promise<RowCounts> {
    this.#assertOpen();
    const gone = sessions.filter((key) => this.#isGone(key.agentId, since) && this.#sessions.forget(key));
    const isForgotten = (agentId: AgentId) => this.#isGone(agentId, since) && !this.#sessions.has(agentId);
    const asks = this.#mail.forgetAsks((agentId) => this.#isGone(agentId, since));
    const mailboxes = this.#mail.owners.filter(isForgotten).filter((agentId) => this.#mail.forgetBox(agentId));
    let handles = 0;
    for (const book of this.#handles.values())
      for (const [handle, agentId] of book) if (isForgotten(agentId) && book.delete(handle)) handles += 1;
    const kept = [...this.#aliases].filter(([, agentId]) => !isForgotten(agentId) || this.#mail.hasSent(agentId));
    const aliases = this.#aliases.size - kept.length;
    this.#aliases = new Map(kept);
    this.#changes += 1;
    return { sessions: gone.length, asks, mailboxes: mailboxes.length, handles, aliases };
  }

  #isGone(agentId: AgentId, since: string): boolean {
    const records = [...this.#records.values()];
    const isMember = records.some(({ room }) =>
      [...room.state.members.keys()].some((name) => name === agentId || this.#aliases.get(name) === agentId),
    );
    if (isMember || this.#mail.hasMailFor(agentId)) return false;
    return !records.some(({ events }) =>
      events.some((event) => event.createdAt > since && !isExpiry(event) && whoDeparted(event) === agentId),
    );
  }

  async readNames(): Promise<StoredNames> {
    this.#assertOpen();
    const rooms = [...this.#records.values()].map(({ room }) => room);
    const members = rooms.flatMap(({ id, state }) =>
      [...state.members.keys()].map((agentId) => ({ agentId, roomId: id })),
    );
    const handles = [...this.#handles.values()].flatMap((book) => [...book.values()]);
    const sessions = this.#sessions.all;
    const agents = [...members, ...sessions].map(({ agentId }) => agentId);
    const present = rooms.flatMap(({ presence }) => [...presence.values()]);
    const ids = [...sessions, ...present].flatMap(({ sessionId }) => sessionId ?? []);
    return {
      agents: [...new Set([...agents, ...handles, ...this.#mail.owners])],
      sessionIds: [...new Set(ids)],
      members,
    };
  }

  async compact(): Promise<boolean> {
    return false;
  }

  async changeMark(): Promise<string> {
    this.#assertOpen();
    return String(this.#changes);
  }

  isInPlace(): boolean {
    return true;
  }

  isUpToDate(): boolean {
    return true;
  }

  async close(): Promise<void> {
    this.#open = false;
  }

  /** The room with the handles its members have now: a handle is the project's and may have changed in another room. */
  #present({ room }: RoomRecord): Room {
    const handles = new Map([...(this.#handles.get(room.project) ?? [])].map(([handle, agentId]) => [agentId, handle]));
    const handleOf = (agentId: AgentId) => handles.get(agentId) ?? handles.get(this.#aliases.get(agentId) ?? agentId);
    const stale = [...room.presence.values()].filter(({ agentId, handle }) => (handleOf(agentId) ?? handle) !== handle);
    if (stale.length === 0) return room;
    const renamed = stale.map((known) => [
      known.agentId,
      { ...known, handle: handleOf(known.agentId) ?? known.handle },
    ]);
    return { ...room, presence: new Map([...room.presence, ...(renamed as [AgentId, Presence][])]) };
  }

  #assertOpen(): void {
    invariant(this.#open, "the store is closed");
  }

  #find(target: ChangeTarget): RoomRecord | undefined {
    if ("roomId" in target) return this.#records.get(target.roomId);
    const { host, paths, otherwise } = target;
    const records = [...this.#records.values()].filter(({ room }) => room.host === host);
    return [...paths, otherwise.path].flatMap((path) => records.find(({ room }) => room.path === path) ?? []).at(0);
  }

  #handlesOf(project: string): readonly TakenHandle[] {
    const rooms = [...this.#records.values()].map(({ room }) => room).filter((room) => room.project === project);
    return [...(this.#handles.get(project) ?? [])].map(([handle, agentId]) => ({
      handle,
      agentId,
      live: rooms.some((room) =>
        [...room.state.members.keys()].some((id) => (this.#aliases.get(id) ?? id) === agentId),
      ),
    }));
  }

  #save(found: RoomRecord | undefined, { room: before, created }: Loaded, { change }: Decision<unknown>): void {
    const { room, events } = change;
    if (room === before && !created) return;
    invariant(
      room.state.lastSeq === before.state.lastSeq + events.length,
      "a room's last sequence is that of its last event",
    );
    this.#aliases = events.reduce(evolveAliases, this.#aliases);
    this.#saveHandles(room, before);
    this.#records.set(room.id, {
      room,
      events: [...(found?.events ?? []), ...events],
      notes: events.reduce(evolveNotes, found?.notes ?? new Map()),
    });
    if (change.mail) this.#mail.save(change.mail);
    for (const event of events) {
      this.#mail.follow(event);
      this.#sessions.follow(event);
    }
    this.#changes += 1;
  }

  /** One handle per agent in a project; a reused one moves to its new agent. */
  #saveHandles({ project, presence }: Room, before: Room): void {
    const book = this.#handles.get(project) ?? new Map<Handle, AgentId>();
    for (const { agentId, handle } of presence.values()) {
      if (book.get(handle) === agentId || before.presence.get(agentId)?.handle === handle) continue;
      for (const [other, owner] of book) if (owner === agentId) book.delete(other);
      book.set(handle, agentId);
    }
    this.#handles.set(project, book);
  }
}
