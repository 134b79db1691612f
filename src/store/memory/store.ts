/** The store in one process's memory: the same promises as the others, except that nothing outlives the process. */

import type { RoomEvent } from "../../core/event.ts";
import { whoDeparted } from "../../core/event.ts";
import type { AgentId, Handle, NoteId, RoomId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { Bell } from "../../engine/ports/bell.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { PruneStore } from "../../engine/ports/prune-store.ts";
import type { ChangeTarget, IdQuery, Loaded, RoomQuery, Store } from "../../engine/ports/store.ts";
import { takenIn } from "../../mail/rules/mail-change.ts";
import { type Aliases, evolveAliases, withAlias } from "../../room/rules/alias.ts";
import type { Decision } from "../../room/rules/change.ts";
import type { TakenHandle } from "../../room/rules/membership.ts";
import { evolveNotes, type Note } from "../../room/rules/note.ts";
import { createRoom, type Room, withoutEntry } from "../../room/rules/room.ts";
import { newestChangeFirst } from "../newest-change-first.ts";
import { SubscriptionBook } from "../subscriptions.ts";
import { MemoryMail } from "./mail.ts";
import { MemorySessions } from "./sessions.ts";

interface Options {
  readonly clock: Clock;
}

export function openMemory(options: Options): { readonly store: Store; readonly bell: Bell } {
  return { store: openMemoryStore(options), bell: openMemoryBell() };
}

/** Rings cannot be missed within one process; the slow look is only what the port asks for. */
const LOOK_EVERY_MS = 2000;

export function openMemoryBell(): Bell {
  const book = new SubscriptionBook();
  return {
    ring: async (agents) => book.ring(agents),
    subscribe: async (to) => book.subscribe(to, () => LOOK_EVERY_MS),
    close: async () => book.close(),
  };
}

export function openMemoryStore({ clock }: Options): Store {
  const content = new Content();
  let isOpen = true;
  const opened = (): Content => {
    invariant(isOpen, "the store is closed");
    return content;
  };
  return {
    kind: "memory",
    ...roomMethods(opened, clock),
    ...mailAndSessionMethods(opened, clock),
    ...pruneMethods(opened),
    changeMark: async () => opened().mark,
    isInPlace: () => true,
    isUpToDate: () => true,
    async close() {
      isOpen = false;
    },
  };
}

/** Throws when the store is closed. */
type Opened = () => Content;

function roomMethods(opened: Opened, clock: Clock) {
  const eventsOf = (roomId: RoomId) => opened().records.get(roomId)?.events ?? [];
  return {
    async change(target, decide) {
      const content = opened();
      const loaded = content.load(target, clock);
      const decision = loaded && decide(loaded);
      if (loaded === null || decision === null) return null;
      content.save(loaded, decision);
      const { moment, created, room: before } = loaded;
      return { moment, created, before, decision, rang: false };
    },
    async readRoom(roomId) {
      const content = opened();
      const record = content.records.get(roomId);
      return record ? { moment: clock.now(), room: content.withHandles(record.room), mark: content.mark } : null;
    },
    async readRooms(query) {
      const content = opened();
      const rooms = content.rooms.map((room) => content.withHandles(room)).filter((room) => matches(room, query));
      return { moment: clock.now(), rooms: rooms.toSorted(newestChangeFirst) };
    },
    readEvents: async (roomId, afterSeq, limit) =>
      eventsOf(roomId)
        .filter(({ seq }) => seq > afterSeq)
        .slice(0, limit),
    readEventsBefore: async (roomId, beforeSeq, limit) =>
      eventsOf(roomId)
        .filter(({ seq }) => seq < beforeSeq)
        .slice(-limit),
    readDeparture: async (roomId, names) =>
      eventsOf(roomId).findLast((event) => names.includes(whoDeparted(event) as AgentId)) ?? null,
    async readNotes(roomId, limit, { unresolvedOnly, before }) {
      const notes = [...(opened().records.get(roomId)?.notes.values() ?? [])];
      const end = before === undefined ? notes.length : notes.findIndex(({ noteId }) => noteId === before);
      const older = notes.slice(0, Math.max(0, end));
      return older.filter(({ resolvedAt }) => !unresolvedOnly || resolvedAt === null).slice(-limit);
    },
    countOpenNotes: async (roomId) =>
      [...(opened().records.get(roomId)?.notes.values() ?? [])].filter(({ resolvedAt }) => resolvedAt === null).length,
    readNote: async (roomId, noteId) => opened().records.get(roomId)?.notes.get(noteId) ?? null,
    async readIds(query, prefix, limit) {
      const begun = new Set(
        opened()
          .ids(query)
          .filter((id) => id.startsWith(prefix)),
      );
      return [...begun].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, limit);
    },
  } satisfies Partial<Store>;
}

function mailAndSessionMethods(opened: Opened, clock: Clock) {
  return {
    resolveAlias: async (agentId) => opened().presentName(agentId),
    readHandles: async (project) => opened().handlesOf(project),
    readAliases: async (names) => opened().aliasesAmong(new Set(names)),
    supersede: async (old, agentId) => opened().supersede(old, agentId),
    reclaimName: async (agentId) => opened().reclaimName(agentId),
    async changeMailbox(owner, look, decide, { withMessages = false } = {}) {
      const content = opened();
      const { mail } = content;
      const decision = decide({ moment: clock.now(), window: mail.window(owner, look), freeSeq: mail.nextSeq });
      mail.save(decision.mail);
      content.changes += 1;
      return withMessages ? { ...decision, messages: mail.messages(takenIn(decision.mail)) } : decision;
    },
    readMailbox: async (owner, look) => ({ moment: clock.now(), window: opened().mail.window(owner, look) }),
    readMessages: async (ids) => opened().mail.messages(ids),
    readReceivers: async (agents) => opened().mail.receivers(agents),
    readWaitingAsks: async () => opened().mail.waitingAsks,
    readAsks: async (ids) => opened().mail.asks(ids),
    readUnansweredAsks: async (peer, limit) => opened().mail.unansweredAsks(opened().presentName(peer), limit),
    readDeliveries: async (messageIds) => opened().mail.deliveries(messageIds),
    async changeSession({ project, agentId }, change) {
      const content = opened();
      const key = { project, agentId: content.presentName(agentId) };
      const changed = content.sessions.change(key, (known) => ({ ...change(known, () => clock.now()), ...key }));
      if (changed) content.changes += 1;
      return changed;
    },
    readSessions: async (project) => opened().sessions.all.filter((session) => session.project === project),
    findSessions: async (sessionId) => opened().sessions.all.filter((session) => session.sessionId === sessionId),
  } satisfies Partial<Store>;
}

function pruneMethods(opened: Opened): PruneStore {
  return {
    async countPrunable(roomId) {
      const content = opened();
      const record = content.records.get(roomId);
      if (!record) return 0;
      const notes = [...record.notes.values()].filter(({ resolvedAt }) => resolvedAt !== null);
      return content.oldEvents(record).length + notes.length + content.mail.endedIn(roomId).length;
    },
    async prune({ roomId, lastSeq, gone, mayGo }) {
      const content = opened();
      const { records, mail } = content;
      const record = records.get(roomId);
      const { state } = record?.room ?? {};
      if (!record || state?.lastSeq !== lastSeq || (state.status !== "idle" && state.status !== "closed")) return null;
      const old = content.oldEvents(record);
      const ended = mail.endedIn(roomId);
      mail.forget(old, ended);
      const events = record.events.filter((event) => !old.includes(event));
      const notes = new Map([...record.notes].filter(([, note]) => note.resolvedAt === null));
      const room = gone.reduce(withoutMember, record.room);
      const isEmpty = events.length + notes.size + room.state.members.size === 0;
      const goes = mayGo && isEmpty && state.turnId === 0 && state.status === "idle" && state.handoff === null;
      if (goes) records.delete(roomId);
      else records.set(roomId, { room, events, notes });
      content.changes += 1;
      return {
        events: old.length,
        notes: record.notes.size - notes.size,
        deliveries: ended.length,
        members: gone.length,
        rooms: goes ? 1 : 0,
      };
    },
    async readGoneSessions(since) {
      const content = opened();
      return content.sessions.all.filter(({ agentId }) => content.isGone(agentId, since));
    },
    forgetGone: async (since, sessions) => opened().forgetGone(since, sessions),
    readNames: async () => opened().names,
    compact: async () => false,
  };
}

/** Everything of one room; a change replaces it whole. */
interface RoomRecord {
  readonly room: Room;
  readonly events: readonly RoomEvent[];
  readonly notes: ReadonlyMap<NoteId, Note>;
}

const JOINS: readonly string[] = ["member_joined", "session_superseded"];

class Content {
  readonly records = new Map<RoomId, RoomRecord>();
  /** By project, then by handle. */
  readonly #handles = new Map<string, Map<Handle, AgentId>>();
  #aliases: Aliases = new Map();
  readonly mail = new MemoryMail((agentId) => this.presentName(agentId));
  readonly sessions = new MemorySessions();
  changes = 0;

  get mark(): string {
    return String(this.changes);
  }

  get rooms(): readonly Room[] {
    return [...this.records.values()].map(({ room }) => room);
  }

  ids(query: IdQuery): readonly string[] {
    const { records } = this;
    if (query.kind === "room") return [...records.keys()];
    if (query.kind === "note") return [...(records.get(query.roomId)?.notes.keys() ?? [])];
    const events = [...records.values()].flatMap((record) => record.events);
    return events.filter(({ type }) => type === "message_sent").map(({ eventId }) => eventId);
  }

  presentName(agentId: AgentId): AgentId {
    return this.#aliases.get(agentId) ?? agentId;
  }

  aliasesAmong(names: { has(name: AgentId): boolean }): Aliases {
    return new Map([...this.#aliases].filter(([former]) => names.has(former)));
  }

  supersede(old: AgentId, agentId: AgentId): void {
    this.#aliases = withAlias(this.#aliases, old, agentId);
    this.mail.merge(old, agentId);
    this.sessions.merge(old, agentId);
    this.changes += 1;
  }

  reclaimName(agentId: AgentId): void {
    this.#aliases = new Map([...this.#aliases].filter(([former]) => former !== agentId));
    this.changes += 1;
  }

  load(target: ChangeTarget, clock: Clock): Loaded | null {
    const found = this.#find(target);
    const room = found ? this.withHandles(found.room) : "otherwise" in target ? createRoom(target.otherwise) : null;
    if (room === null) return null;
    const { noteId, post } = "roomId" in target ? target : {};
    return {
      moment: clock.now(),
      room,
      created: found === undefined,
      handles: () => this.handlesOf(room.project),
      hasBeenHere: (agentId) =>
        (found?.events ?? []).some(({ type, fromAgentId }) => fromAgentId === agentId && JOINS.includes(type)),
      note: (noteId !== undefined && found?.notes.get(noteId)) || null,
      aliases: new Map([...this.#aliases].filter((pair) => pair.some((name) => room.state.members.has(name)))),
      post: post ? this.mail.post(post, [...room.state.members.keys()]) : null,
    };
  }

  #find(target: ChangeTarget): RoomRecord | undefined {
    if ("roomId" in target) return this.records.get(target.roomId);
    const { host, paths, otherwise } = target;
    const records = [...this.records.values()].filter(({ room }) => room.host === host);
    return [...paths, otherwise.path].flatMap((path) => records.find(({ room }) => room.path === path) ?? []).at(0);
  }

  save({ room: before, created }: Loaded, { change }: Decision<unknown>): void {
    const { room, events } = change;
    if (room === before && !created) return;
    const lastSeq = before.state.lastSeq + events.length;
    invariant(room.state.lastSeq === lastSeq, "a room's last sequence is that of its last event");
    this.#aliases = events.reduce(evolveAliases, this.#aliases);
    this.#saveHandles(room, before);
    const record = this.records.get(room.id);
    this.records.set(room.id, {
      room,
      events: [...(record?.events ?? []), ...events],
      notes: events.reduce(evolveNotes, record?.notes ?? new Map()),
    });
    if (change.mail) this.mail.save(change.mail);
    for (const event of events) {
      if (event.type === "message_sent") this.mail.keep(event);
      if (event.type !== "session_superseded" || event.fromAgentId === null) continue;
      this.mail.merge(event.payload.supersededAgentId, event.fromAgentId);
      this.sessions.merge(event.payload.supersededAgentId, event.fromAgentId);
    }
    this.changes += 1;
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

  handlesOf(project: string): readonly TakenHandle[] {
    const rooms = this.rooms.filter((room) => room.project === project);
    const live = new Set(rooms.flatMap(({ state }) => [...state.members.keys()].map((id) => this.presentName(id))));
    const book = this.#handles.get(project) ?? new Map<Handle, AgentId>();
    return [...book].map(([handle, agentId]) => ({ handle, agentId, live: live.has(agentId) }));
  }

  /** The room with the present handles of its members: a handle belongs to the project, and another room may change it. */
  withHandles(room: Room): Room {
    const handles = new Map([...(this.#handles.get(room.project) ?? [])].map(([handle, agentId]) => [agentId, handle]));
    const handleOf = (agentId: AgentId) => handles.get(agentId) ?? handles.get(this.presentName(agentId));
    const stale = [...room.presence.values()].filter(({ agentId, handle }) => (handleOf(agentId) ?? handle) !== handle);
    if (stale.length === 0) return room;
    const presence = new Map(room.presence);
    for (const known of stale)
      presence.set(known.agentId, { ...known, handle: handleOf(known.agentId) ?? known.handle });
    return { ...room, presence };
  }

  oldEvents({ room, events }: RoomRecord): readonly RoomEvent[] {
    const { handoff } = room.state;
    const candidates = events.filter(({ seq }) => seq !== handoff?.seq && seq !== handoff?.evidenceSeq);
    return candidates.filter((event) => !this.mail.isUnread(event));
  }

  isGone(agentId: AgentId, since: string): boolean {
    const isMember = this.rooms.some(({ state }) =>
      [...state.members.keys()].some((name) => name === agentId || this.#aliases.get(name) === agentId),
    );
    if (isMember || this.mail.hasMailFor(agentId)) return false;
    return ![...this.records.values()].some(({ events }) =>
      events.some((event) => event.createdAt > since && !isExpiry(event) && whoDeparted(event) === agentId),
    );
  }

  forgetGone(...[since, sessions]: Parameters<PruneStore["forgetGone"]>) {
    const gone = sessions.filter((key) => this.isGone(key.agentId, since) && this.sessions.forget(key));
    const isForgotten = (agentId: AgentId) => this.isGone(agentId, since) && !this.sessions.has(agentId);
    const asks = this.mail.forgetAsks((agentId) => this.isGone(agentId, since));
    const mailboxes = this.mail.owners.filter(isForgotten).filter((agentId) => this.mail.forgetBox(agentId));
    let handles = 0;
    for (const book of this.#handles.values())
      for (const [handle, agentId] of book) if (isForgotten(agentId) && book.delete(handle)) handles += 1;
    const kept = [...this.#aliases].filter(([, agentId]) => !isForgotten(agentId) || this.mail.hasSent(agentId));
    const aliases = this.#aliases.size - kept.length;
    this.#aliases = new Map(kept);
    this.changes += 1;
    return { sessions: gone.length, asks, mailboxes: mailboxes.length, handles, aliases };
  }

  get names() {
    const { rooms } = this;
    const sessions = this.sessions.all;
    const members = rooms.flatMap(({ id, state }) =>
      [...state.members.keys()].map((agentId) => ({ agentId, roomId: id })),
    );
    const handles = [...this.#handles.values()].flatMap((book) => [...book.values()]);
    const agents = [...members, ...sessions].map(({ agentId }) => agentId);
    const present = rooms.flatMap(({ presence }) => [...presence.values()]);
    const sessionIds = [...sessions, ...present].flatMap(({ sessionId }) => sessionId ?? []);
    return {
      agents: [...new Set([...agents, ...handles, ...this.mail.owners])],
      sessionIds: [...new Set(sessionIds)],
      members,
    };
  }
}

/** A member that left for that reason was gone long before. */
function isExpiry(event: RoomEvent): boolean {
  return event.type === "member_left" && event.payload.reason === "expired";
}

function withoutMember(room: Room, agentId: AgentId): Room {
  const { state, presence, waits } = room;
  return {
    ...room,
    state: { ...state, members: withoutEntry(state.members, agentId) },
    presence: withoutEntry(presence, agentId),
    waits: withoutEntry(waits, agentId),
  };
}

function matches(room: Room, { host, paths, project, agentId, owned }: RoomQuery): boolean {
  return (
    (!owned || room.state.status === "owned") &&
    (host === undefined || room.host === host) &&
    (paths === undefined || paths.includes(room.path)) &&
    (project === undefined || room.project === project) &&
    (agentId === undefined || room.state.members.has(agentId))
  );
}
