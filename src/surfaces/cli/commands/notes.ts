/** tt notes add|list|resolve: what must outlive the talk. */

import { LIMITS } from "../../../core/limits.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { addNote, listNotes, type NoteList, resolveNote } from "../../../room/notes.ts";
import type { Note } from "../../../room/rules/note.ts";
import { ago } from "../../words/ago.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import { SHORT_ID } from "../command.ts";
import type { CliContext } from "../context.ts";
import { form } from "../form.ts";
import type { Reading } from "../text/reading.ts";
import { ownWords, refuseBoth } from "./mail/message-body.ts";

const MAX_INPUT_BYTES = 1_048_576;
const TO_ADD = 'tt notes add "fixture 7 is wrong on purpose"';

export const notesAdd = form({
  words: "notes add",
  of: addNote,
  summary: "write down what the others must know",
  example: TO_ADD,
  positionals: [{ name: "text", rest: true }],
  flags: {
    turn: { field: "turnId", value: "N", help: "the turn the note is about" },
    stdin: { kind: "boolean", help: "read the note from standard input" },
  },
  async gather({ ports }, args) {
    refuseBoth(args);
    const body = args.isSet("stdin") ? await ports.readInput(MAX_INPUT_BYTES) : ownWords(args.rest.join(" "), TO_ADD);
    return isRefusal(body) ? body : { body };
  },
  text: ({ noteId }, { context: { tt, columns, names } }) =>
    wrapWhole(`Noted. Resolve it with: ${tt} notes resolve ${names.short(noteId)}`, columns, "  "),
});

export const notesResolve = form({
  words: "notes resolve",
  of: resolveNote,
  summary: "mark a note as done",
  details: [SHORT_ID],
  example: "tt notes resolve 4rg8w2m",
  positionals: [{ name: "id", field: "noteId", required: true }],
  text: ({ resolvedByAgentId: who }, { context }) => `Resolved by ${who === null ? "nobody" : context.names.of(who)}.`,
});

function listForm(words: "notes" | "notes list") {
  return form({
    words,
    of: listNotes,
    summary: words === "notes" ? "the same as notes list" : "the notes of this room",
    hidden: words === "notes",
    details: [
      `Shows the newest ${LIMITS.notesPerRead}, in the order in which they were written; has_more says that there are older ones, and`,
      "--before with the first one's id shows those.",
    ],
    example: "tt notes list --open",
    flags: {
      open: { field: "unresolvedOnly", help: "list only what is not resolved" },
      limit: { field: "limit", value: "N", help: "list at most this many of the newest (1 to 200)" },
      before: { field: "beforeNoteId", value: "ID", help: "list those older than this note" },
    },
    otherFlags: {
      all: null,
      after: "The newest come without a flag; those older than a note with: tt notes list --before ID",
    },
    text: (answer, { context, nowMs }) => listText(answer, context, nowMs),
  });
}

export const notesList = listForm("notes list");
export const notes = listForm("notes");

function listText({ notes: [first, ...rest], hasMore }: NoteList, context: CliContext, nowMs: number): string {
  const { args, columns, tt } = context;
  if (!first) {
    if (args.text("before") !== undefined) return "No older notes.";
    return wrapWhole(`No notes. Add one with: ${tt} notes add "…"`, columns, "  ");
  }
  const shown = notesText([first, ...rest], context.reading(nowMs));
  if (!hasMore) return shown;
  const limit = args.number("limit");
  const asked = `${args.isSet("open") ? " --open" : ""}${limit === undefined ? "" : ` --limit ${limit}`}`;
  return `${shown}\n${wrapWhole(`Older: ${tt} notes list --before ${context.names.short(first.noteId)}${asked}`, columns, "  ")}`;
}

function notesText(found: readonly Note[], reading: Reading): string {
  const { nowMs, width, names } = reading;
  return found
    .map((note) => {
      const mark = note.resolvedAt === null ? "○" : "✓";
      const about = note.turnId === null ? "" : `, turn ${note.turnId}`;
      const when = `${ago(note.createdAt, nowMs)}${about}${resolvedText(note, reading)}`;
      const head = `${names.short(note.noteId)}  ${names.of(note.authorAgentId)}, ${when}`;
      return `${mark} ${wrap(head, width, "  ")}\n  ${wrap(note.body, width, "  ")}`;
    })
    .join("\n");
}

function resolvedText({ resolvedAt, resolvedByAgentId: who }: Note, { nowMs, names }: Reading): string {
  if (resolvedAt === null) return "";
  return `, resolved by ${who === null ? "nobody" : names.of(who)} ${ago(resolvedAt, nowMs)}`;
}
