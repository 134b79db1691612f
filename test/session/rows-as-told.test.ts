/** Rows of sessions, and what the shell of their hooks noted since. */
import { expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { ToldActivities } from "../../src/engine/ports/activity.ts";
import { rowsAsTold } from "../../src/session/rows-as-told.ts";
import type { ToldActivity } from "../../src/session/rules/newest-activity.ts";
import { newSession, type Session, withActivity } from "../../src/session/rules/session.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";

const KEY = { agentId: asAgentId("claude:ann"), project: "/p" };
const AT = {
  older: "2025-12-31T23:59:59.999Z",
  row: "2026-01-01T00:00:00.000Z",
  note: "2026-01-01T00:01:00.000Z",
  later: "2026-01-01T00:02:00.000Z",
};
const NOTE: ToldActivity = { state: "idle", since: AT.note, turn: "turn-2" };
const now = { instant: { epoch: "boot-1", ms: 0 }, suspendedMs: 0, wallMs: 0 };

function notesIn(notes: Map<string, ToldActivity>, reads: string[] = []): ToldActivities {
  return {
    sessions: () => new Set([...notes.keys(), "of-another-project"]),
    read(id) {
      reads.push(id);
      return notes.get(id) ?? "gone";
    },
    forget: (id) => void notes.delete(id),
  };
}

async function noted(note: ToldActivity | null, row: Partial<Session> = {}) {
  const notes = new Map<string, ToldActivity>(note ? [["s", note]] : []);
  const reads: string[] = [];
  const stored = openMemoryStore({ clock: { now: () => now } });
  const store = rowsAsTold(stored, notesIn(notes, reads));
  const told = withActivity(newSession(KEY, "claude"), "busy", AT.row);
  await stored.changeSession(KEY, () => ({ ...told, sessionId: "s", hooked: true, turn: "turn-1", ...row }));
  const change = (to: (known: Session) => Session) =>
    store.changeSession(KEY, (known) => to(known ?? newSession(KEY, "claude")));
  return { store, stored, notes, reads, change };
}

test("given a note, every reader finds what it says", async () => {
  const { store } = await noted(NOTE);
  const expected = { activity: { state: "idle", since: AT.note }, turn: "turn-2" };
  expect(await store.readSessions("/p")).toMatchObject([expected]);
  expect(await store.findSessions("s")).toMatchObject([expected]);
});

test.each<[given: string, note: ToldActivity | null, row: Partial<Session>, turn: string]>([
  ["no note", null, {}, "turn-1"],
  ["hooks that are over", NOTE, { hooked: false }, "turn-1"],
  ["another session's note", NOTE, { sessionId: "other" }, "turn-1"],
  ["a session without an id", NOTE, { sessionId: null }, "turn-1"],
  ["an older note", { ...NOTE, since: AT.older }, {}, "turn-1"],
  ["a note of the same moment", { ...NOTE, since: AT.row }, {}, "turn-1"],
])("given %s, the row counts", async (_, note, row, turn) => {
  const { store } = await noted(note, row);
  expect(await store.readSessions("/p")).toMatchObject([{ activity: { state: "busy", since: AT.row }, turn }]);
});

test("given a row that never told anything, the note counts", async () => {
  const { store } = await noted(NOTE, { activity: { state: "unknown", since: null } });
  expect(await store.readSessions("/p")).toMatchObject([{ activity: { state: "idle" } }]);
});

test("only the notes of the rows are read", async () => {
  const { store, reads } = await noted(NOTE);
  await store.readSessions("/p");
  expect(reads).toEqual(["s"]);
});

test("given a note that a change takes over while rows are read, the reader finds what it said", async () => {
  const { stored, notes, change } = await noted(NOTE);
  const readSessions = async (project: string) => {
    const rows = await stored.readSessions(project);
    if (notes.size > 0) await change((known) => ({ ...known, cwd: "/p/src" }));
    return rows;
  };
  const store = rowsAsTold({ ...stored, readSessions }, notesIn(notes));
  expect(await store.readSessions("/p")).toMatchObject([{ cwd: "/p/src", activity: { state: "idle" } }]);
});

test("given a note without a turn, the turn of the row counts", async () => {
  const { store } = await noted({ ...NOTE, turn: null });
  expect(await store.readSessions("/p")).toMatchObject([{ activity: { state: "idle" }, turn: "turn-1" }]);
});

test("a change starts from what was told, and the row says it from then on", async () => {
  const { stored, notes, change } = await noted(NOTE);
  expect(await change((known) => ({ ...known, cwd: "/p/src" }))).toBe(true);
  expect(notes.size).toBe(0);
  const saved = { cwd: "/p/src", activity: { state: "idle", since: AT.note }, turn: "turn-2" };
  expect(await stored.readSessions("/p")).toMatchObject([saved]);
});

test("a state that goes on begins when the note says", async () => {
  const { stored, change } = await noted(NOTE);
  await change((known) => ({ ...withActivity(known, "idle", AT.later), cwd: "/p/src" }));
  expect(await stored.readSessions("/p")).toMatchObject([{ activity: { state: "idle", since: AT.note } }]);
});

test("a change that has no other news writes nothing, and the note stays", async () => {
  const { notes, change } = await noted(NOTE);
  expect(await change((known) => withActivity(known, "idle", AT.later))).toBe(false);
  expect(notes.size).toBe(1);
});

test("given an older note, a change starts from the row, and ends the note", async () => {
  const { stored, notes, change } = await noted({ ...NOTE, since: AT.older });
  await change((known) => ({ ...known, cwd: "/p/src" }));
  expect(notes.size).toBe(0);
  expect(await stored.readSessions("/p")).toMatchObject([
    { activity: { state: "busy", since: AT.row }, turn: "turn-1" },
  ]);
});
