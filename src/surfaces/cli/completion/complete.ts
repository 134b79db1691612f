/** What may come next on a half-typed line. It reads the same table as the parser and help. */
import { GUARD_MODES } from "../../../core/policy.ts";
import { HARNESSES } from "../../../harness/harnesses.ts";
import type { Command, Flag, Positional } from "../command.ts";
import { GLOBAL_FLAGS } from "../parse.ts";

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** The room that the line names; none means that of the directory. */
export interface NamedRoom {
  readonly path?: string;
  readonly room?: string;
}

/** The agents of a room, files as the shell knows them, or these words. */
export type Completion = { readonly agentsOf: NamedRoom } | "files" | readonly Candidate[];

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** How words and values that name an agent are called in help; the other lists likewise. */
const AGENTS = ["agent", "member", "peer", "who"];
const FILES = ["path", "paths", "files", "words", "command", "dir", "file"];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  harness: HARNESSES.map(({ name }) => name),
  mode: GUARD_MODES,
  shell: SHELLS,
};

/** The last word is the one that is being typed, and may be empty. */
export function completionFor(words: readonly string[], commands: readonly Command[]): Completion {
  const found = completionIn(words, commands);
  return found === "agents" ? { agentsOf: roomNamedIn(words.slice(0, -1)) } : found;
}

type Kind = "agents" | "files" | readonly Candidate[];

function completionIn(words: readonly string[], commands: readonly Command[]): Kind {
  const typed = words.at(-1) ?? "";
  const { names, plain, command, valueOf, isVerbatim } = readLine(words.slice(0, -1), commands);
  if (valueOf !== null) return named(valueOf.value?.toLowerCase() ?? "");
  if (isVerbatim) return "files";
  if (typed.startsWith("-")) return flagsOf(command);
  // A hidden command is not offered; who knows it gets its flags and words.
  const next = nextNames(
    names,
    commands.filter(({ hidden }) => !hidden),
  );
  if (plain.length === 0 && next.length > 0) return next;
  if (command === null) return [];
  const positionals = command.positionals ?? [];
  return positionalAt(positionals, plain.length);
}

/** By the flags that every command has. */
function roomNamedIn(words: readonly string[]): NamedRoom {
  const flags: { path?: string; room?: string } = {};
  for (const [index, word] of words.entries()) {
    const [, flag, value = words[index + 1]] = /^--(path|room)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag !== undefined && value !== undefined) flags[flag as "path" | "room"] = value;
  }
  return flags;
}

interface ReadLine {
  /** The words of the command's name. */
  readonly names: readonly string[];
  readonly plain: readonly string[];
  readonly command: Command | null;
  /** The flag whose value comes next. */
  readonly valueOf: Flag | null;
  readonly isVerbatim: boolean;
}

function readLine(words: readonly string[], commands: readonly Command[]): ReadLine {
  let [names, plain]: [readonly string[], readonly string[]] = [[], []];
  let command: Command | null = null;
  let valueOf: Flag | null = null;
  for (const word of words) {
    if (valueOf !== null) valueOf = null;
    else if (word === "--" || takesUntouched(command, plain))
      return { names, plain, command, valueOf, isVerbatim: true };
    else if (word.startsWith("-")) valueOf = flagThatWaits(word, command);
    else {
      const longer = [...names, word];
      const isName = plain.length === 0 && commands.some(({ name }) => `${name} `.startsWith(`${longer.join(" ")} `));
      if (isName) names = longer;
      else if (names.length > 0 || word !== "help") plain = [...plain, word];
      command = commands.find(({ name }) => name === names.join(" ")) ?? null;
    }
  }
  return { names, plain, command, valueOf, isVerbatim: takesUntouched(command, plain) };
}

function takesUntouched(command: Command | null, plain: readonly string[]): boolean {
  return plain.length > 0 && (command?.positionals?.some(({ untouched }) => untouched) ?? false);
}

function flagThatWaits(word: string, command: Command | null): Flag | null {
  const flag = { ...GLOBAL_FLAGS, ...command?.flags }[word.slice(2)];
  return flag === undefined || flag.kind === "boolean"
    ? null
    : { ...flag, value: word === "--agent" ? "agent" : (flag.value ?? "") };
}

function flagsOf(command: Command | null): readonly Candidate[] {
  const flags = { ...command?.flags, ...GLOBAL_FLAGS };
  return Object.entries(flags).map(([name, { help }]) => ({ word: `--${name}`, about: help }));
}

/** The next word of the commands whose name begins so. */
function nextNames(names: readonly string[], commands: readonly Command[]): readonly Candidate[] {
  const found = new Map<string, string>();
  for (const { name, summary } of commands) {
    const words = name.split(" ");
    const word = words[names.length];
    if (word === undefined || !names.every((known, index) => words[index] === known)) continue;
    const isWhole = words.length === names.length + 1;
    if (isWhole || !found.has(word)) found.set(word, isWhole ? summary : `tt ${[...names, word].join(" ")} …`);
  }
  return [...found].map(([word, about]) => ({ word, about }));
}

function positionalAt(positionals: readonly Positional[], index: number): Kind {
  const last = positionals.at(-1);
  const at = positionals[index] ?? (last?.rest ? last : undefined);
  if (at === undefined) return [];
  return at.literal ? [{ word: at.name, about: "" }] : named(at.name);
}

function named(name: string): Kind {
  const parts = name.split("|");
  if (parts.some((part) => AGENTS.includes(part))) return "agents";
  if (FILES.includes(name)) return "files";
  if (parts.length > 1) return parts.map((word) => ({ word, about: "" }));
  return (WORDS[name.replace(/e?s$/, "")] ?? WORDS[name] ?? []).map((word) => ({ word, about: "" }));
}
