/** tt notes add|list|resolve: what must outlive the talk. */

import { isRefusal } from "../../../core/refusal.ts";
import { addNote, listNotes, type NoteList, resolveNote } from "../../../room/notes.ts";
import type { Note } from "../../../room/rules/note.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { actingIn, actingInOrJoining, roomOf } from "../room-of.ts";
import { ago } from "../text/ago.ts";
import type { Reading } from "../text/reading.ts";
import { wrap, wrapWhole } from "../text/wrap.ts";
import { UsageError, unknownVerb } from "../usage-error.ts";

const VERBS = ["add", "list", "resolve"] as const;
const MAX_INPUT_BYTES = 1_048_576;

export const notes: Command = {
  name: "notes",
  summary: "notes for whoever comes: add, list, resolve",
  details: [
    "list shows the newest 200, in the order in which they were written; has_more says that there are older ones, and",
    "--before with the first one's id shows those.",
  ],
  example: 'tt notes add "fixture 7 is wrong on purpose"',
  positionals: [{ name: "add|list|resolve" }, { name: "text or id", rest: true }],
  flags: {
    turn: { kind: "number", value: "N", help: "the turn a new note is about" },
    stdin: { kind: "boolean", help: "read a new note from standard input" },
    open: { kind: "boolean", help: "list only what is not resolved" },
    limit: { kind: "number", value: "N", help: "list at most this many of the newest (1 to 200)" },
    before: { kind: "text", value: "ID", help: "list those older than this note" },
  },
  async run(context, args) {
    const verb = args.positional("add|list|resolve") ?? "list";
    if (verb === "add") return add(context, args);
    if (verb === "list") return list(context, args);
    if (verb === "resolve") return resolve(context, args);
    throw unknownVerb("notes", verb, VERBS);
  },
};

async function add(context: CliContext, args: Arguments): Promise<number> {
  const body = args.isSet("stdin") ? await context.ports.readInput(MAX_INPUT_BYTES) : args.rest.join(" ");
  if (isRefusal(body)) return context.refuse(body);
  const acting = await actingInOrJoining(context);
  if (isRefusal(acting)) return context.refuse(acting);
  const turnId = args.number("turn");
  const note = await addNote(acting.deps, acting.caller, {
    roomId: acting.roomId,
    body,
    ...(turnId !== undefined && { turnId }),
  });
  if (isRefusal(note)) return context.refuse(note);
  await context.answer(note, ({ noteId }) =>
    wrapWhole(`Noted. Resolve it with: ${context.tt} notes resolve ${noteId}`, context.columns, "  "),
  );
  return EXIT.done;
}

async function resolve(context: CliContext, args: Arguments): Promise<number> {
  const [noteId] = args.rest;
  if (noteId === undefined)
    throw new UsageError("tt notes resolve needs the note's id.", "See them with: tt notes list");
  const acting = await actingIn(context);
  if (isRefusal(acting)) return context.refuse(acting);
  const note = await resolveNote(acting.deps, acting.caller, { roomId: acting.roomId, noteId });
  if (isRefusal(note)) return context.refuse(note);
  await context.answer(note, ({ resolvedByAgentId }) => `Resolved by ${resolvedByAgentId}.`);
  return EXIT.done;
}

async function list(context: CliContext, args: Arguments): Promise<number> {
  const room = await roomOf(context);
  if (isRefusal(room)) return context.refuse(room);
  const deps = await context.deps();
  if (isRefusal(deps)) return context.refuse(deps);
  const [limit, beforeNoteId] = [args.number("limit"), args.text("before")];
  const answer = await listNotes(deps, {
    roomId: room.id,
    unresolvedOnly: args.isSet("open"),
    ...(limit !== undefined && { limit }),
    ...(beforeNoteId !== undefined && { beforeNoteId }),
  });
  if (isRefusal(answer)) return context.refuse(answer);
  const nowMs = deps.clock.now().wallMs;
  await context.answer(answer, (shown) => listText(shown, context, nowMs));
  return EXIT.done;
}

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
  return `${shown}\n${wrapWhole(`Older: ${tt} notes list --before ${first.noteId}${asked}`, columns, "  ")}`;
}

function notesText(found: readonly Note[], { nowMs, width }: Reading): string {
  return found
    .map((note) => {
      const mark = note.resolvedAt === null ? "○" : "✓";
      const about = note.turnId === null ? "" : `, turn ${note.turnId}`;
      const head = `${note.noteId}  ${note.authorAgentId}, ${ago(note.createdAt, nowMs)}${about}${resolvedText(note, nowMs)}`;
      return `${mark} ${wrap(head, width, "  ")}\n  ${wrap(note.body, width, "  ")}`;
    })
    .join("\n");
}

function resolvedText({ resolvedAt, resolvedByAgentId }: Note, nowMs: number): string {
  return resolvedAt === null ? "" : `, resolved by ${resolvedByAgentId} ${ago(resolvedAt, nowMs)}`;
}
