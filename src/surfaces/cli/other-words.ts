/** Words that similar tools have for our commands. A line that uses them means the same here and runs. */
import type { Command } from "./command.ts";
import { type ParsedLine, parsedOrNull, parseLine, splitAtCommand } from "./parse.ts";

interface OtherLine {
  /** A command, followed by a word or a flag if that is what makes the difference. */
  readonly theirs: string;
  readonly ours: string;
  /** It is one of our commands as well, and means ours only where the line would be wrong otherwise. */
  readonly onlyIfWrong?: true;
}

const OTHER_LINES: readonly OtherLine[] = [
  { theirs: "assign next", ours: "release" },
  // A pass without a name means that the stick goes to the next in the queue.
  { theirs: "pass", ours: "release", onlyIfWrong: true },
  { theirs: "wait --park", ours: "listen" },
];

/** The line as it is, or in our words where it uses others. */
export function parseAnyWords(words: readonly string[], commands: readonly Command[]): ParsedLine {
  for (const row of OTHER_LINES) {
    const line = inOurWords(words, row);
    if (line === null) continue;
    return row.onlyIfWrong ? parseEither(words, line, commands) : parseLine(line, commands);
  }
  return parseLine(words, commands, OTHER_WORDS);
}

function parseEither(words: readonly string[], otherwise: readonly string[], commands: readonly Command[]): ParsedLine {
  // If both readings are wrong, report the mistake in the line as typed.
  return parsedOrNull(words, commands) ?? parsedOrNull(otherwise, commands) ?? parseLine(words, commands);
}

/** Null for a line that does not use these words. */
function inOurWords(words: readonly string[], { theirs, ours }: OtherLine): readonly string[] | null {
  const { before, name, after } = splitAtCommand(words);
  const [command, mark] = theirs.split(" ");
  if (name !== command) return null;
  const at = mark === undefined ? -1 : after.indexOf(mark);
  const isMarked = mark === undefined || at === 0 || (at > 0 && mark.startsWith("--"));
  if (!isMarked) return null;
  return [...before, ours, ...after.filter((_, index) => index !== at)];
}

/** Words of other tools for what a command of ours does. They are tried when no command has the name that was typed. */
export interface OtherWord {
  readonly word: string;
  /** The command of ours; none for what is planned. */
  readonly command?: string;
  /** The meaning is the same: the command runs. Otherwise it is only named. */
  readonly isSame?: true;
  /** Why the command is the right one, where the words alone do not show it. */
  readonly why?: string;
}

export const OTHER_WORDS: readonly OtherWord[] = [
  { word: "takeover", command: "take", isSame: true },
  { word: "acquire", command: "wait" },
  { word: "lock", command: "wait" },
  { word: "unlock", command: "release" },
  { word: "tell", command: "msg send" },
  { word: "broadcast", command: "msg send", why: "Send it to room." },
  { word: "inbox", command: "msg recv" },
  { word: "mail", command: "msg recv" },
  { word: "messages", command: "msg recv" },
  { word: "ack", command: "msg recv", why: "Reading mail acknowledges it." },
  { word: "nack", command: "mailbox nack" },
  { word: "enqueue", command: "mailbox enqueue" },
  { word: "dequeue", command: "mailbox dequeue" },
  { word: "note", command: "notes add" },
  { word: "history", command: "log" },
  { word: "rooms", command: "list" },
  { word: "members", command: "state" },
  { word: "who", command: "peers" },
  { word: "agents", command: "peers" },
  { word: "sessions", command: "peers" },
  { word: "id", command: "whoami" },
  { word: "rename", command: "name" },
  { word: "health", command: "doctor", isSame: true },
  { word: "setup", command: "install" },
  { word: "install-skill", command: "install", why: "One command sets up skill, hooks and tools." },
  { word: "install-hook", command: "install", why: "One command sets up skill, hooks and tools." },
  { word: "run", why: "tt start claude starts an agent; tt check -- npm test records a check." },
  { word: "console", why: "tt chat talks with your agents; tt watch is the board." },
];
