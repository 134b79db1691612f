/** The commands about turns: what each changed, and giving files back. */
import type { RawInput } from "../../../core/field.ts";
import { visible } from "../../../core/visible.ts";
import { diffTurn } from "../../../turns/diff-turn.ts";
import { listTurns } from "../../../turns/list-turns.ts";
import { restoreTurn } from "../../../turns/restore-turn.ts";
import { showTurn } from "../../../turns/show-turn.ts";
import type { Arguments } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { form } from "../form.ts";
import { restoredText, shownTurnText, turnsText } from "../text/turns.ts";
import { UsageError } from "../usage-error.ts";

const KEPT = [
  "The files are kept in the data directory, and nothing is written into your repository. Ignored files, submodules,",
  "nested repositories and files above 10 MB are not kept.",
];

export const turns = form({
  words: "turns",
  of: listTurns,
  summary: "the turns of this room: who, when, files changed, checks",
  details: [
    "Files are known of turns that ended while the room had a second member; with tt policy record=on, always.",
  ],
  example: "tt turns --limit 50",
  flags: { limit: { field: "limit", value: "N", help: "at most so many of the newest; 20 by default" } },
  text: (answer, { context, nowMs }) => turnsText(answer, context, nowMs),
});

export const turnShow = form({
  words: "turn show",
  of: showTurn,
  summary: "one turn: handoff, checks, changed files, messages of that time",
  details: ["Without a number, the present turn. Files that git does not track are marked."],
  example: "tt turn show 12",
  positionals: [{ name: "turn" }],
  gather: (_context, args) => turnIn(args.positional("turn")),
  text: (answer, { context, nowMs }) => shownTurnText(answer, context, nowMs),
});

export const turnDiff = form({
  words: "turn diff",
  of: diffTurn,
  summary: "what a turn changed, as a patch",
  details: [
    "Without a number, the present turn. Paths come after it; a file whose name is a number is ./12. With --since, what has",
    "changed since the turn ended; with the name that tt turn restore gave, since that restore began.",
    ...KEPT,
  ],
  example: "tt turn diff 12 -- src/parser.ts",
  positionals: [{ name: "turn and paths", rest: true }],
  flags: { since: { field: "since", help: "from the end of the turn to the files as they are now" } },
  gather: (_context, args) => turnAndPaths(args),
  text({ turnId, since, patch, cut, missing }, { context }) {
    // A pipe gets the patch itself, so that git apply understands it.
    const lines = patch.replace(/\n$/, "");
    const shown = context.ports.terminal.output ? visible(lines) : lines;
    const notes = [
      ...(cut ? ["The patch is longer. Name paths to see the rest."] : []),
      ...(missing ? ["The repository's own clean-up has removed the bytes of a file, so the patch ends here."] : []),
    ];
    const where = "paths" in turnAndPaths(context.args) ? "nothing in these paths" : "no file";
    const none = since ? "Nothing has changed since then." : `Turn ${turnId} changed ${where}.`;
    return [shown || none, ...notes].join("\n");
  },
});

export const turnRestore = form({
  words: "turn restore",
  of: restoreTurn,
  summary: "give files the content that they had when a turn ended",
  details: [
    "Only for the holder and for a person, and only the named paths. A path that the turn did not have is deleted.",
    "Files that have changed since are overwritten with --yes. What is there now is kept first, under the name that the",
    "answer gives; give that name instead of a turn to get it back.",
    ...KEPT,
  ],
  example: "tt turn restore 12 -- src/parser.ts",
  positionals: [
    { name: "turn", required: true },
    { name: "paths", rest: true, required: true },
  ],
  flags: { yes: { field: "force", help: "also over newer changes" } },
  gather: (_context, args) => ({ ...turnOrKept(args.required("turn")), paths: args.rest }),
  text: (answer, { context }) => restoredText(answer, context.columns, answer.next && context.wordsOf(answer.next)),
  exit: ({ failed }) => (failed.length === 0 ? EXIT.done : EXIT.refused),
});

function turnIn(word: string | undefined): RawInput {
  if (word === undefined) return {};
  if (/^\d{1,15}$/.test(word)) return { turnId: Number(word) };
  throw new UsageError(`${JSON.stringify(word)} is not the number of a turn.`, "See the turns with: tt turns");
}

/** What a restore has overwritten, by its name. */
function turnOrKept(word: string): RawInput {
  return /^kept-\d{1,15}$/.test(word) ? { kept: word } : turnIn(word);
}

/** A first word that is a number or such a name is the turn. */
function turnAndPaths({ rest }: Arguments): RawInput {
  const [first = "", ...others] = rest;
  const isTurn = /^(?:kept-)?\d{1,15}$/.test(first);
  const paths = isTurn ? others : rest;
  return { ...(isTurn && turnOrKept(first)), ...(paths.length > 0 && { paths }) };
}
