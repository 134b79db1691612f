/** A process that adds notes to a room as fast as it can: location, room, agent, how many. */
import { NO_EVIDENCE } from "../../src/domain/given.ts";
import { asAgentId, asLeaseId, asNoteId, asRoomId } from "../../src/domain/ids.ts";
import { addNote } from "../../src/domain/note/note.ts";
import type { Store } from "../../src/ports/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { fakeClock } from "./fake-clock.ts";
import type { StoreLocation } from "./store-world.ts";

async function openAt(location: StoreLocation): Promise<Store> {
  if (location.kind === "postgres") return openPostgresStore(location);
  return openSqliteStore({ file: location.file, clock: fakeClock(), jitter: Math.random });
}

async function write(location: StoreLocation, room: string, agent: string, count: number): Promise<void> {
  const store = await openAt(location);
  const caller = { agentId: asAgentId(agent), harness: "writer", isPerson: false, process: null, sessionId: null };
  for (let number = 1; number <= count; number += 1) {
    await store.change({ roomId: asRoomId(room) }, (loaded) => {
      const commandId = `${agent}-${number}`;
      const given = {
        caller,
        moment: loaded.moment,
        evidence: NO_EVIDENCE,
        commandId,
        freshLeaseId: asLeaseId("none"),
      };
      return addNote(loaded.room, given, loaded.handles, { noteId: asNoteId(commandId), body: "text", turnId: null });
    });
  }
  await store.close();
}

const [location = "", room = "", agent = "", count = ""] = process.argv.slice(2);
void write(JSON.parse(location) as StoreLocation, room, agent, Number(count));
