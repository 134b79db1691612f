import type { Moment } from "../../src/core/time.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Store } from "../../src/engine/ports/store.ts";

/** A store that is told the time by the test, whatever clock it has of its own. Decisions are pure, so they cannot tell. */
export function storeOnClock(store: Store, clock: Clock): Store {
  const now = <Dated extends { readonly moment: Moment }>(dated: Dated): Dated => ({ ...dated, moment: clock.now() });
  return {
    kind: store.kind,
    change: async (target, decide) => {
      const changed = await store.change(target, (loaded) => decide(now(loaded)));
      return changed && now(changed);
    },
    readRoom: async (roomId) => {
      const snapshot = await store.readRoom(roomId);
      return snapshot && now(snapshot);
    },
    readRooms: async (query) => now(await store.readRooms(query)),
    changeMailbox: (owner, look, decide) => store.changeMailbox(owner, look, (loaded) => decide(now(loaded))),
    readMailbox: async (owner, look) => now(await store.readMailbox(owner, look)),
    readMessages: (ids) => store.readMessages(ids),
    readReceivers: (agents) => store.readReceivers(agents),
    readWaitingAsks: () => store.readWaitingAsks(),
    readAsks: (ids) => store.readAsks(ids),
    readUnansweredAsks: (peer, limit) => store.readUnansweredAsks(peer, limit),
    readDeliveries: (messageIds) => store.readDeliveries(messageIds),
    changeSession: (key, change) => store.changeSession(key, (known) => change(known, () => clock.now())),
    readSessions: (project) => store.readSessions(project),
    findSessions: (sessionId) => store.findSessions(sessionId),
    readEventsBefore: (roomId, beforeSeq, limit) => store.readEventsBefore(roomId, beforeSeq, limit),
    readEvents: (roomId, afterSeq, limit) => store.readEvents(roomId, afterSeq, limit),
    readDeparture: (roomId, names) => store.readDeparture(roomId, names),
    resolveAlias: (agentId) => store.resolveAlias(agentId),
    readHandles: (project) => store.readHandles(project),
    readAliases: (names) => store.readAliases(names),
    supersede: (old, agentId) => store.supersede(old, agentId),
    reclaimName: (agentId) => store.reclaimName(agentId),
    readNotes: (roomId, limit, wanted) => store.readNotes(roomId, limit, wanted),
    countOpenNotes: (roomId) => store.countOpenNotes(roomId),
    readNote: (roomId, noteId) => store.readNote(roomId, noteId),
    readIds: (query, prefix, limit) => store.readIds(query, prefix, limit),
    countPrunable: (roomId) => store.countPrunable(roomId),
    prune: (room) => store.prune(room),
    readGoneSessions: (since) => store.readGoneSessions(since),
    forgetGone: (since, sessions) => store.forgetGone(since, sessions),
    readNames: () => store.readNames(),
    compact: () => store.compact(),
    changeMark: () => store.changeMark(),
    isUpToDate: () => store.isUpToDate(),
    isInPlace: () => store.isInPlace(),
    close: () => store.close(),
  };
}
