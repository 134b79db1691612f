/** Notes as events of the size of a message: written by one process, heard by another. */
import { accepted } from "../../../test/support/sqlite-world.ts";
import { type Mark, nowUs } from "../../marks.ts";
import { pause } from "../pause.ts";
import type { Member } from "./member.ts";

const BODY = "x".repeat(200);
const WAIT_MS = 60_000;

interface Pace {
  readonly everyMs: number;
}

/** Answers when each note was begun, by its id. */
export async function addNotes({ stick, roomId }: Member, { count, everyMs }: Pace & { readonly count: number }) {
  const starts: Mark[] = [];
  for (let index = 0; index < count; index += 1) {
    const us = nowUs();
    const { noteId } = accepted(await stick.addNote({ roomId, body: BODY }));
    starts.push([noteId, us]);
    await pause(everyMs);
  }
  return starts;
}

/** Resolving a note concerns its author and nobody else. */
export async function resolveNotes(
  { stick, roomId }: Member,
  { noteIds, everyMs }: Pace & { readonly noteIds: readonly string[] },
) {
  const starts: Mark[] = [];
  for (const noteId of noteIds) {
    starts.push([noteId, nowUs()]);
    accepted(await stick.resolveNote({ roomId, noteId }));
    await pause(everyMs);
  }
  return starts;
}

export interface Hearing {
  readonly count: number;
  readonly eventType: "note_added" | "note_resolved";
  readonly target: "self" | "any";
}

/** Waits until `count` of these events are in hand, and answers when each was. */
export async function hearNotes(member: Member, { count, eventType, target }: Hearing) {
  const { stick, roomId } = member;
  const arrivals: Mark[] = [];
  while (arrivals.length < count) {
    const { events, cursorEventSeq } = accepted(
      await stick.waitForEvents({
        roomId,
        afterEventSeq: member.cursor,
        eventTypes: [eventType],
        targetAgentId: target,
        maxWaitMs: WAIT_MS,
      }),
    );
    const us = nowUs();
    if (events.length === 0) throw new Error(`nothing was heard for ${WAIT_MS} ms`);
    for (const { payload } of events) arrivals.push([(payload as { noteId: string }).noteId, us]);
    member.cursor = cursorEventSeq;
  }
  return arrivals;
}
