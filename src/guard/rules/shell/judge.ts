/** Judges one command: a program and its words. */
import { judgeAwk } from "./awk.ts";
import {
  judgeCurl,
  judgeDd,
  judgeGh,
  judgePerl,
  judgeRsync,
  judgeTar,
  judgeWget,
  judgeZipper,
} from "./careful-programs.ts";
import { type ShellFinding, unknown, writes } from "./finding.ts";
import { type GivenFlag, isFlagOf, readFlags } from "./flags.ts";
import { judgeGit } from "./git.ts";
import { type Around, isSink, parentOf, type ShellPlace, targetsAt } from "./place.ts";
import { effectOfVerb, hasVersionFlag, isReader, type ProgramRow, rowOf } from "./programs.ts";
import { judgeSed } from "./sed.ts";
import { type Argument, literal } from "./words.ts";
import { judgeWrapper } from "./wrappers.ts";

type Judge = (words: readonly Argument[], place: ShellPlace) => readonly ShellFinding[];

const OWN_JUDGES: Readonly<Record<string, Judge>> = {
  git: judgeGit,
  sed: judgeSed,
  gsed: judgeSed,
  awk: judgeAwk,
  gawk: judgeAwk,
  mawk: judgeAwk,
  nawk: judgeAwk,
  tar: judgeTar,
  gtar: judgeTar,
  gzip: judgeZipper,
  gunzip: judgeZipper,
  bzip2: judgeZipper,
  bunzip2: judgeZipper,
  xz: judgeZipper,
  unxz: judgeZipper,
  zstd: judgeZipper,
  unzstd: judgeZipper,
  compress: judgeZipper,
  uncompress: judgeZipper,
  curl: judgeCurl,
  wget: judgeWget,
  dd: judgeDd,
  rsync: judgeRsync,
  scp: judgeRsync,
  perl: judgePerl,
  ruby: judgePerl,
  gh: judgeGh,
  ag: (words) => refusing(words, "ag", /^--pager/),
  jobs: (words) => refusing(words, "jobs", /^-[a-z]*x/),
  // It runs what follows a plus sign, keeps a log, and reads keys and tags from files.
  less: (words) => refusing(words, "less", /^\+|^-[^-]*[oOkpPtT]|^--[lLpt]/),
  rg: (words) => refusing(words, "rg", /^--(pre|hostname-bin|pre-glob)(=|$)/),
  prettier: judgeFormatter(/^(-[a-z]*w|--write)$/),
  eslint: judgeFormatter(/^--fix$/),
  biome: judgeFormatter(/^--(write|fix|apply)$/),
  ruff: judgeFormatter(/^(--fix|format)$/),
  "clang-format": judgeFormatter(/^-i$/),
  black: (words) =>
    words.some(({ text }) => /^--(check|diff|version|help)$/.test(text)) ? unknown("black") : writes("black", null),
  rustfmt: (words) =>
    words.some(({ text }) => /^--(check|version|help)$/.test(text)) ? unknown("rustfmt") : writes("rustfmt", null),
  history: (words) => (words.every(({ text }) => /^\d*$/.test(text)) ? [] : unknown("history")),
};

/** A formatter is a program with settings of its own, but this flag says that it writes. */
function judgeFormatter(writing: RegExp): Judge {
  return (words) =>
    words.some(({ text }) => writing.test(text)) ? writes(writing.source, null) : unknown("formatter");
}

/** Only such a flag is a doubt. */
function refusing(words: readonly Argument[], program: string, flags: RegExp): readonly ShellFinding[] {
  const found = words.find(({ text, mayBeFlags }) => mayBeFlags || flags.test(text));
  return found ? unknown(`${program} ${found.text}`) : [];
}

/** The last part of a path. A relative path such as ./ls names a file of the tree, which can be anything. */
function nameOf(program: string): string | null {
  if (!program.includes("/")) return program;
  return program.startsWith("/") ? program.slice(program.lastIndexOf("/") + 1) : null;
}

export function judgeCommand(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const [program, ...rest] = words;
  if (program === undefined) return [];
  const name = program.isLiteral ? nameOf(program.text) : null;
  if (name === null) return unknown(program.text);
  // Other programs of the system lie there, and `tt` may lie anywhere.
  if (
    program.text.includes("/") &&
    name !== "tt" &&
    !/^\/(usr\/(local\/)?)?s?bin\/|^\/opt\/homebrew\/bin\//.test(program.text)
  ) {
    return unknown(program.text);
  }
  if (rest.length === 1 && isVersionFlag(name, rest[0])) return [];
  const wrapped = judgeWrapper(name, rest, around);
  if (wrapped !== null) return wrapped;
  if (isReader(name)) return [];
  const own = Object.hasOwn(OWN_JUDGES, name) ? OWN_JUDGES[name] : undefined;
  if (own) return own(rest, around.place);
  const row = rowOf(name);
  if (row !== null) return judgeRow(name, row, rest, around.place);
  return judgeVerb(name, rest);
}

function isVersionFlag(name: string, word: Argument | undefined): boolean {
  if (!word?.isLiteral) return false;
  if (/^--(version|help)$/.test(word.text)) return hasVersionFlag(name) || rowOf(name) !== null;
  return /^-(v|V)$/.test(word.text) && /^(node|npm|python[23]?|rustc|cargo|php)$/.test(name);
}

function judgeVerb(name: string, words: readonly Argument[]): readonly ShellFinding[] {
  const [verb] = words;
  if (name === "npm" && verb?.isLiteral && verb.text === "run" && words.length === 1) return [];
  if (!verb?.isLiteral || words.some(({ mayBeFlags }) => mayBeFlags)) return unknown(name);
  const effect = effectOfVerb(name, verb.text);
  const isElsewhere = words.some(({ text }) => /^(-g|--global|--dry-run|--check|--location=.*|--prefix.*)$/.test(text));
  if (effect === "reads") return [];
  return effect === "writes" && !isElsewhere ? writes(`${name} ${verb.text}`, null) : unknown(name);
}

function isOneOf(description: string): (flag: GivenFlag) => boolean {
  return (flag) => isFlagOf(description, flag);
}

function judgeRow(
  name: string,
  row: ProgramRow,
  words: readonly Argument[],
  place: ShellPlace,
): readonly ShellFinding[] {
  const { flags = "", writing = "", printing = "", into = "" } = row;
  // For some programs a flag after the first operand is the second operand.
  const given = readFlags(words, `${flags} ${writing} ${printing} ${into}`, row.writes === "second");
  const written = given.flags.find(isOneOf(writing));
  if (written) {
    const paths = written.value ? [written.value] : given.operands;
    if (given.unclear === null && paths.length > 0 && paths.every(isSink)) return [];
    return writes(`${name} ${written.name}`, given.unclear === null ? targetsAt(place, paths) : null);
  }
  if (given.unclear !== null && row.writes === undefined) return unknown(`${name} ${given.unclear}`);
  if (row.writes === undefined) return [];
  if (row.writes === "second" && given.unclear === null && given.operands.length < 2) return [];
  if (given.unclear === null && given.flags.some(isOneOf(printing))) return [];
  if (given.unclear !== null && row.printing !== undefined) return unknown(`${name} ${given.unclear}`);
  if (name === "tee" && given.unclear === null && given.operands.every(isSink)) return [];
  if (name === "openssl") return unknown(name);
  const directory = given.flags.findLast(isOneOf(into))?.value ?? null;
  const targets = given.unclear === null ? writtenPaths(name, row, given.operands, directory) : null;
  return writes(name, targets && targetsAt(place, targets));
}

/** Null if the words do not name them all. */
function writtenPaths(
  name: string,
  { writes: places }: ProgramRow,
  operands: readonly Argument[],
  into: Argument | null,
): readonly Argument[] | null {
  const here = literal(".");
  switch (places) {
    case "operands":
      // Without a template it lies in the system's directory for such files.
      if (name === "mktemp" && operands.length === 0) return [literal("/tmp")];
      if (name === "mktemp") return [parentOf(operands[0] ?? here)];
      return into ? [...operands, into] : operands.length > 0 ? operands : null;
    case "rest":
      return operands.length > 1 ? operands.slice(1) : null;
    case "second":
      return operands.slice(1, 2);
    case "last":
      return into ? [into] : lastOf(name, operands);
    case "here":
      if (into) return [into];
      // It names the file to patch, with rejects beside it.
      return name === "patch" && operands.length > 0 ? operands.slice(0, 1).map(parentOf) : [here];
    case "unnamed":
    case undefined:
  }
  return null;
}

function lastOf(name: string, operands: readonly Argument[]): readonly Argument[] | null {
  // `install -d` makes every operand.
  if (name === "install") return operands;
  if (operands.length === 1) return name === "ln" ? [literal(".")] : null;
  return operands.slice(-1);
}
