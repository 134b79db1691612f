/**
 * From words to a command and its arguments. Everything unknown, missing or doubled is an error that names the
 * nearest right thing: a flag that is silently ignored is worse than one that is refused.
 */

import { durationMs, UNITS_MS } from "../../core/duration.ts";
import { LIMITS } from "../../core/limits.ts";
import { nearest } from "../../core/nearest.ts";
import { quoted } from "../../core/visible.ts";
import { Arguments, type Command, type Flag } from "./command.ts";
import type { OtherWord } from "./other-words.ts";
import { UsageError, unknownVerb } from "./usage-error.ts";

export const GLOBAL_FLAGS: Readonly<Record<string, Flag>> = {
  json: { kind: "boolean", help: "print JSON, even on a terminal" },
  text: { kind: "boolean", help: "print text, even inside a harness" },
  agent: { kind: "text", value: "ID", help: "act as this agent, outside a harness's session" },
  path: { kind: "text", value: "DIR", help: "use this directory instead of the current one" },
  room: { kind: "text", value: "ID", help: "use this room instead of the directory's" },
  ids: { kind: "boolean", help: "show agents and messages by their whole ids" },
  color: { kind: "text", value: "WHEN", help: "auto, always or never; auto is on a terminal without NO_COLOR" },
  help: { kind: "boolean", help: "show this help and do nothing" },
  version: { kind: "boolean", help: "show the version" },
  debug: { kind: "boolean", help: "show where an unexpected error came from" },
};

const SHORT: Readonly<Record<string, string>> = { "-h": "--help", "-v": "--version", "-V": "--version" };

export interface ParsedLine {
  /** Null when the line names no command. */
  readonly command: Command | null;
  /** Those that begin with the one word that was typed; only help can be given about several. */
  readonly family: readonly Command[];
  readonly args: Arguments;
}

export function parseLine(
  words: readonly string[],
  commands: readonly Command[],
  otherWords: readonly OtherWord[] = [],
): ParsedLine {
  const { before, name, after } = splitAtCommand(words);
  const family = commands.filter((command) => command.name.startsWith(`${name} `));
  const alone = commands.find((command) => command.name === name);
  if (name !== null && family.length > 0) return parseFamily(name, family, before, after, alone);
  const command = name === null ? null : findCommand(name, commands, otherWords);
  return parseCommand(command, [...before, ...inOwnFlags(after, command)]);
}

/** What follows `--` is no flag. */
function inOwnFlags(words: readonly string[], command: Command | null): readonly string[] {
  const end = words.indexOf("--");
  return words.map((word, index) => {
    const [, flag = "", value = ""] = /^--([a-z]+)(=[\s\S]*)?$/.exec(word) ?? [];
    const own = end >= 0 && index > end ? undefined : command?.ownFlags?.[flag];
    return own === undefined ? word : `--${own}${value}`;
  });
}

/** Null for a line that is wrong. */
export function parsedOrNull(words: readonly string[], commands: readonly Command[]): ParsedLine | null {
  try {
    return parseLine(words, commands);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return null;
  }
}

/** The command's name has two words, such as `msg send`. One word may be a command by itself: `alone`. */
function parseFamily(
  name: string,
  family: readonly Command[],
  before: readonly string[],
  after: readonly string[],
  alone: Command | undefined,
) {
  const second = splitAtCommand(after);
  const verbs = family.map((command) => command.name.slice(name.length + 1));
  if (second.name !== null) {
    const command = family.find((one) => one.name === `${name} ${second.name}`);
    if (command) return parseCommand(command, [...before, ...second.before, ...second.after]);
    // Help must work on a half-typed line.
    if (!asksForHelp([...before, ...after])) throw unknownVerb(name, second.name, verbs);
    return { ...parseCommand(null, ["--help"]), family };
  }
  const parsed = parseCommand(alone ?? null, [...before, ...after]);
  if (parsed.args.isSet("help") || parsed.args.isSet("version")) return { ...parsed, command: null, family };
  if (alone) return parsed;
  throw new UsageError(
    `tt ${name} needs one of: ${verbs.join(", ")}.`,
    `For example: ${family[0]?.example ?? "tt --help"}`,
  );
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

function parseCommand(command: Command | null, words: readonly string[]): ParsedLine {
  const flags = { ...GLOBAL_FLAGS, ...command?.flags };
  const { values, plain, verbatim } = readFlags(words, flags, command);
  // Help must work on a half-typed line, so missing words are not looked for.
  const helps = values.get("help") === true || values.get("version") === true;
  if (!helps) refuseContradictions(values, command);
  const { positionals, rest } = takesVerbatim(command)
    ? readPositionals(requireDashes(plain, verbatim, command, helps), command, helps)
    : readPositionals([...plain, ...verbatim], command, helps);
  return { command, family: [], args: new Arguments(values, positionals, rest) };
}

function refuseContradictions(values: Values, command: Command | null): void {
  if (values.has("json") && values.has("text"))
    throw new UsageError("--json and --text exclude each other.", "Use one of them.");
  const color = values.get("color");
  if (color !== undefined && !["auto", "always", "never"].includes(String(color)))
    throw new UsageError(`--color ${quoted(String(color))} is not auto, always or never.`, "Use one of them.");
  if (command?.roomless && values.has("room"))
    throw new UsageError(`tt ${command.name} does not use a room.`, "Leave --room out.");
}

/** The command is the first word that is neither a flag nor the value of a global flag. */
export function splitAtCommand(words: readonly string[]) {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (!word.startsWith("-")) return { before: words.slice(0, index), name: word, after: words.slice(index + 1) };
    const flag = GLOBAL_FLAGS[word.slice(2)];
    if (flag && flag.kind !== "boolean") index += 1;
  }
  return { before: words, name: null, after: [] };
}

function findCommand(name: string, commands: readonly Command[], otherWords: readonly OtherWord[] = []): Command {
  const other = otherWords.find(({ word }) => word === name);
  const wanted = other?.isSame ? other.command : name;
  const found = commands.find((command) => command.name === wanted);
  if (found) return found;
  const listed = commands.filter(({ hidden }) => !hidden).map((command) => command.name);
  // A second word that was typed alone, such as `trace` of `msg trace`, is no slip.
  const second = listed.find((command) => command.endsWith(` ${name}`));
  const near = other ? (other.command ?? null) : (second ?? nearest(name, listed));
  if (other?.why !== undefined && other.command === undefined) {
    throw new UsageError(`There is no command ${quoted(name)}.`, other.why);
  }
  const hint = near === null ? "See all commands with: tt --help" : `Did you mean: tt ${near}`;
  throw new UsageError(
    `There is no command ${quoted(name)}.`,
    other?.why === undefined ? hint : `${other.why} ${hint}`,
  );
}

type Values = Map<string, boolean | string | number | readonly string[]>;

function readFlags(words: readonly string[], flags: Readonly<Record<string, Flag>>, command: Command | null) {
  const values: Values = new Map();
  const plain: string[] = [];
  /** What follows `--`. */
  const verbatim: string[] = [];
  const passesOn = command?.positionals?.some(({ untouched }) => untouched) ?? false;
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") {
      verbatim.push(...queue.splice(0));
    } else if (!word.startsWith("-") || word === "-") {
      plain.push(word);
      if (passesOn) verbatim.push(...queue.splice(0));
    } else {
      readFlag(SHORT[word] ?? word, flags, command, values, queue);
    }
  }
  return { values, plain, verbatim };
}

function readFlag(
  word: string,
  flags: Readonly<Record<string, Flag>>,
  command: Command | null,
  values: Values,
  queue: string[],
): void {
  const [, name = "", inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  const others = command?.otherFlags ?? {};
  const other = Object.hasOwn(others, name) ? others[name] : undefined;
  if (!flag && other === null && inline === undefined) return;
  if (!flag) throw unknownFlag(word, flags, command, other ?? null);
  if (flag.kind === "boolean") {
    if (inline !== undefined) throw new UsageError(`--${name} takes no value.`, `Write just --${name}.`);
    values.set(name, true);
    return;
  }
  const text = inline ?? queue.shift();
  if (text === undefined) {
    throw new UsageError(`--${name} needs a value.`, other ?? `Write --${name} ${flag.value ?? "VALUE"}.`);
  }
  const known = values.get(name);
  if (flag.kind === "list") {
    values.set(name, [...(Array.isArray(known) ? known : []), text]);
    return;
  }
  if (known !== undefined) throw new UsageError(`--${name} is given twice.`, `Give --${name} once.`);
  values.set(name, flagValue(name, flag, text));
}

function flagValue(name: string, flag: Flag, text: string): string | number {
  if (flag.kind === "duration") return parseDuration(name, text, flag.maxHours);
  if (flag.kind === "text") return text;
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new UsageError(`--${name} ${quoted(text)} is not a whole number.`, `Write --${name} 10, for example.`);
}

function unknownFlag(
  word: string,
  flags: Readonly<Record<string, Flag>>,
  command: Command | null,
  instead: string | null,
): UsageError {
  const near = nearest(word.replace(/^-+/, "").replace(/=[\s\S]*$/, ""), Object.keys(flags));
  const help = command ? `tt ${command.name} --help` : "tt --help";
  return new UsageError(
    `${command ? `tt ${command.name}` : "tt"} has no flag ${quoted(word)}.`,
    instead ?? (near ? `Did you mean: --${near}` : `See the flags with: ${help}`),
  );
}

function readPositionals(words: readonly string[], command: Command | null, helps: boolean) {
  const positionals = new Map<string, string>();
  const queue = [...words];
  for (const { name, required, rest } of command?.positionals ?? []) {
    if (rest) return { positionals, rest: requireSome(command, name, queue, required === true && !helps) };
    const word = queue.shift();
    if (required && !helps && isBlank(word)) throw missing(command, name);
    if (word !== undefined) positionals.set(name, word);
  }
  if (queue.length > 0 && !helps) {
    throw new UsageError(
      `${quoted(queue[0] ?? "")} is one word too many${command ? ` for tt ${command.name}` : ""}.`,
      command ? `See how it is used with: tt ${command.name} --help` : "See all commands with: tt --help",
    );
  }
  return { positionals, rest: [] };
}

function takesVerbatim(command: Command | null): boolean {
  return command?.positionals?.some(({ afterDashes }) => afterDashes) ?? false;
}

/** The words of another command are its own, flags included, so they must stand apart from ours. */
function requireDashes(
  plain: readonly string[],
  verbatim: readonly string[],
  command: Command | null,
  helps: boolean,
): readonly string[] {
  const [first] = plain;
  if (first === undefined || helps) return verbatim;
  throw new UsageError(
    `tt ${command?.name ?? ""} takes its command after --, and ${quoted(first)} stands before it.`,
    `For example: ${command?.example ?? "tt --help"}`,
  );
}

function requireSome(command: Command | null, name: string, words: string[], required: boolean): readonly string[] {
  if (required && words.every(isBlank)) throw missing(command, name);
  return words;
}

/** An empty word, such as of a variable that is not set, is as good as none. */
function isBlank(word: string | undefined): boolean {
  return word === undefined || word.trim() === "";
}

function missing(command: Command | null, name: string): UsageError {
  return new UsageError(
    `tt ${command?.name ?? ""} needs <${name}>.`,
    `For example: ${command?.example ?? "tt --help"}`,
  );
}

export function parseDuration(flag: string, text: string, maxHours = LIMITS.waitMs / UNITS_MS.h): number {
  const ms = durationMs(text);
  if (ms <= maxHours * UNITS_MS.h) return ms;
  throw new UsageError(
    `--${flag} ${quoted(text)} is not a duration up to ${maxHours}h.`,
    `Give a number and a unit, such as --${flag} 30s, 10m or 2h.`,
  );
}
