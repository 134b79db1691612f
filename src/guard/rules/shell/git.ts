/** What git does to the tree and to its own state: refs, index and settings. */
import { type ShellFinding, unknown, writes } from "./finding.ts";
import { readFlags } from "./flags.ts";
import { type ShellPlace, targetsAt, within } from "./place.ts";
import type { Argument } from "./words.ts";

const GLOBAL_FLAGS =
  "C: c: P --no-pager --git-dir: --work-tree: --namespace: --bare --literal-pathspecs --glob-pathspecs --icase-pathspecs --no-optional-locks --no-replace-objects --version --html-path --man-path --info-path --no-lazy-fetch --no-advice";
/** Settings that name no program and no path. */
const HARMLESS_SETTINGS =
  /^(color\.|advice\.|column\.|core\.(quotepath|abbrev|pager=(cat)?$)|diff\.(renames|algorithm|context)|log\.(date|decorate)|pager\.\w+=(false|no|off|0)$)/i;

/** Verbs that only read, with any flags but those of `DANGEROUS`. */
const READING = `
  status diff log show blame annotate grep rev-parse rev-list ls-files ls-tree ls-remote cat-file describe merge-base
  shortlog name-rev for-each-ref show-ref show-branch cherry range-diff count-objects verify-commit verify-tag
  verify-pack var diff-tree diff-index diff-files check-ignore check-attr check-ref-format check-mailmap whatchanged
  version fsck archive get-tar-commit-id request-pull stripspace patch-id hash-object
`;
/** Verbs that write whatever their flags are. */
const WRITING = `
  add stage commit checkout switch restore reset merge rebase cherry-pick revert pull push am rm mv clean gc
  prune repack pack-refs update-index update-ref read-tree write-tree checkout-index unpack-objects commit-tree mktree
  mktag filter-branch fast-import sparse-checkout init clone replace submodule notes stash tag branch worktree remote
  config reflog symbolic-ref apply bisect bundle format-patch rerere maintenance init-db mailinfo mailsplit index-pack
  lfs prune-packed pack-objects subtree
`;
/** Flags of reading verbs that run a program or write. Git accepts their beginnings, too. */
const DANGEROUS = [
  "output",
  "ext-diff",
  "textconv",
  "filters",
  "exec",
  "upload-pack",
  "open-files-in-pager",
  "lost-found",
  "remote",
];
/** Flags that begin a dangerous one and mean something else. */
const HARMLESS_BEGINNINGS = new Set(["text", "remotes"]);

/** The verbs of verbs: what only reads. A dot is the verb without words. */
const READING_PARTS: Readonly<Record<string, string>> = {
  stash: "list show",
  remote: ". show get-url",
  worktree: "list",
  submodule: ". status summary",
  notes: ". list show",
  bisect: "log",
  bundle: "verify list-heads",
  rerere: "status diff",
  "sparse-checkout": "list",
  lfs: "ls-files status env version",
};

export function judgeGit(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const given = readFlags(words, GLOBAL_FLAGS, true);
  const [verb, ...rest] = given.operands;
  if (given.unclear !== null) return unknown(`git ${given.unclear}`);
  let here = place;
  let isElsewhere = false;
  for (const { name, value } of given.flags) {
    if (name === "-C") here = within(here, value);
    if (name === "-c" && !(value?.isLiteral && HARMLESS_SETTINGS.test(value.text))) return unknown("git -c");
    if (name === "--git-dir" || name === "--work-tree") isElsewhere = true;
  }
  if (verb === undefined) return [];
  if (!verb.isLiteral) return unknown(`git ${verb.text}`);
  return judgeVerb(verb.text, rest, isElsewhere ? { ...here, directories: null } : here);
}

function judgeVerb(verb: string, words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const because = `git ${verb}`;
  if (listed(READING, verb)) return judgeReading(verb, words, place);
  const part = partOf(words);
  const parts = Object.hasOwn(READING_PARTS, verb) ? READING_PARTS[verb] : undefined;
  if (parts !== undefined && words.some(({ mayBeFlags }) => mayBeFlags)) return unknown(because);
  if (parts?.split(" ").includes(part)) return dangers(verb, words, place);
  if (verb === "reflog" && !/^(expire|delete|drop|write)$/.test(part)) return dangers(verb, words, place);
  if (isReadingUse(verb, words)) return dangers(verb, words, place);
  if (verb === "fetch") return judgeFetch(words, place);
  if (DOUBTFUL_PARTS.test(`${verb} ${part}`)) return unknown(`${because} ${part}`);
  if (!listed(WRITING, verb)) return unknown(because);
  // It may still refresh the index.
  if (words.some(({ text }) => text === "--dry-run")) return unknown(because);
  return writes(because, writtenBy(verb, words, place));
}

/** They run a program that the line or the settings name, or write what the settings say. */
const DOUBTFUL_PARTS =
  /^(submodule foreach|bisect (run|visualize|view)|remote (update|prune)|lfs (?!(pull|fetch|checkout|track|untrack|install|prune)$))/;

/** The word after the verb; a dot if there is none. A flag before it may have a value, so then the part is not known. */
function partOf(words: readonly Argument[]): string {
  const [first] = words.filter(({ text }) => !/^(-v|-q|--verbose|--quiet)$/.test(text));
  if (first === undefined || words.every(({ text }) => text.startsWith("-"))) return ".";
  return first.text;
}

function listed(list: string, verb: string): boolean {
  return ` ${list.trim().replaceAll(/\s+/g, " ")} `.includes(` ${verb} `);
}

function judgeReading(verb: string, words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  if (verb === "hash-object" && words.some(({ text, mayBeFlags }) => mayBeFlags || /^-[a-z]*w/.test(text))) {
    return words.some(({ text }) => /^-[a-z]*w/.test(text))
      ? writes("git hash-object -w", targetsHere(place))
      : unknown("git hash-object");
  }
  return dangers(verb, words, place);
}

/** A reading verb with a flag that writes a file or runs a program. */
function dangers(verb: string, words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const end = words.findIndex(({ isLiteral, text }) => isLiteral && text === "--");
  const before = end < 0 ? words : words.slice(0, end);
  const unclear = before.find(({ mayBeFlags }) => mayBeFlags);
  if (unclear) return unknown(`git ${verb} ${unclear.text}`);
  for (const [index, word] of before.entries()) {
    const { text } = word;
    // Such an address names a program.
    if (text.startsWith("ext::")) return unknown(`git ${verb} ext::`);
    const [, long, value] = /^--([\w-]+)(?:=([^]*))?$/.exec(text) ?? [];
    const isOutput = (long === "output" && verb !== "grep") || (verb === "archive" && text.startsWith("-o"));
    if (isOutput) {
      const attached = value ?? (/^-o./.test(text) ? text.slice(2) : undefined);
      const path = attached === undefined ? before[index + 1] : { ...word, text: attached };
      return writes(`git ${verb} ${long === undefined ? "-o" : "--output"}`, path ? targetsAt(place, [path]) : null);
    }
    if (long !== undefined && !HARMLESS_BEGINNINGS.has(long) && DANGEROUS.some((flag) => flag.startsWith(long))) {
      return unknown(`git ${verb} --${long}`);
    }
    if (verb === "grep" && /^-[a-zA-Z]*O/.test(text)) return unknown("git grep -O");
  }
  return [];
}

/** A use of a verb that only reads: no flag but these, and then one of `listing`, or as many words as this. */
interface ReadingUse {
  readonly flags: string;
  readonly listing: RegExp;
  readonly words?: (operands: readonly Argument[]) => boolean;
}

const LIST_FLAGS =
  "--list --contains: --no-contains: --merged: --no-merged: --points-at: --sort: --format: --column? --no-column --color? --no-color --ignore-case --omit-empty";
const LISTING = /^(-l|-n|--list|--(no-)?contains|--(no-)?merged|--points-at|--show-current|-v|--verify)$/;

const READING_USES: Readonly<Record<string, ReadingUse>> = {
  branch: {
    flags: `avrlqi --all --remotes --verbose --show-current --abbrev? --no-abbrev --quiet ${LIST_FLAGS}`,
    listing: /^(-l|--list|--(no-)?contains|--(no-)?merged|--points-at|--show-current)$/,
    words: ({ length }) => length === 0,
  },
  tag: { flags: `liv n? --verify ${LIST_FLAGS}`, listing: LISTING, words: ({ length }) => length === 0 },
  config: {
    flags:
      "lz t: f: --get --get-all --get-regexp --get-urlmatch --get-colorbool --list --local --global --system --worktree --file: --blob: --null --name-only --show-origin --show-scope --type: --bool --int --path --bool-or-int --default: --includes --no-includes --all --regexp --value: --url: --fixed-value",
    listing: /^(-l|--list|--get.*)$/,
    words: ([first, ...others]) =>
      first !== undefined && (/^(get|list)$/.test(first.text) || (others.length === 0 && first.text.includes("."))),
  },
  "symbolic-ref": {
    flags: "q --short --quiet --recurse --no-recurse",
    listing: /^$/,
    words: ({ length }) => length === 1,
  },
  "format-patch": {
    flags:
      "kspn# --stdout --no-stat --stat? --signoff --numbered --no-numbered --subject-prefix: --cover-letter --root --zero-commit --no-signature --find-renames?",
    listing: /^--stdout$/,
  },
  apply: {
    flags:
      "vRz p: C: --check --stat --numstat --summary --verbose --reverse --directory: --exclude: --include: --recount --unidiff-zero --ignore-whitespace --ignore-space-change --whitespace: --allow-empty --quiet",
    listing: /^--(check|stat|numstat|summary)$/,
  },
  clean: { flags: "ndxXfq e: --dry-run --quiet --exclude:", listing: /^(-n|--dry-run)$/ },
  replace: { flags: "l --list --format:", listing: /^(-l|--list)$/, words: ({ length }) => length === 0 },
};

function isReadingUse(verb: string, words: readonly Argument[]): boolean {
  const use = Object.hasOwn(READING_USES, verb) ? READING_USES[verb] : undefined;
  if (use === undefined) return false;
  // `git config` takes a flag after the name for the value.
  const given = readFlags(words, use.flags, verb === "config");
  if (given.unclear !== null) return false;
  return given.flags.some(({ name }) => use.listing.test(name)) || (use.words?.(given.operands) ?? false);
}

/** What a fetch without refspecs writes is in the settings of the remote. */
function judgeFetch(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const names = words.some(
    ({ text, isLiteral }) => isLiteral && /^[^-:@]+:[^/:]/.test(text) && !/^[a-z]+:\/\//.test(text),
  );
  return names ? writes("git fetch", targetsHere(place)) : unknown("git fetch");
}

/** The directory in which git runs stands for the repository around it. */
function targetsHere(place: ShellPlace): readonly string[] | null {
  return targetsAt(place, [{ text: ".", isLiteral: true, mayBeFlags: false }]);
}

function writtenBy(verb: string, words: readonly Argument[], place: ShellPlace): readonly string[] | null {
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  switch (verb) {
    case "config":
      return words.some(({ text }) => /^(--global|--system|--file|-f)/.test(text)) ? null : targetsHere(place);
    case "clone": {
      const given = readFlags(
        words,
        "b: o: u: j: c: lsnqvp --depth: --branch: --origin: --recurse-submodules? --single-branch --bare --mirror --quiet --no-checkout --filter: --shallow-submodules --no-tags --progress",
      );
      if (given.unclear !== null || given.operands.length > 2) return null;
      return given.operands[1] ? targetsAt(place, [given.operands[1]]) : targetsHere(place);
    }
    case "init":
    case "init-db": {
      const given = readFlags(words, "q b: --bare --quiet --initial-branch: --shared? --template:");
      if (given.unclear !== null) return null;
      return given.operands[0] ? targetsAt(place, [given.operands[0]]) : targetsHere(place);
    }
    case "worktree":
    case "format-patch":
    case "bundle":
    case "submodule":
    case "filter-branch":
    case "mailinfo":
    case "mailsplit":
    case "push":
      return operands.length === 0 ? targetsHere(place) : verb === "push" ? targetsHere(place) : null;
    default:
      return targetsHere(place);
  }
}
