/**
 * Git on the turn record. As in private-git.ts, git gets a directory of ours that lasts for one question. Only objects
 * outlive it: those that git writes go into the record.
 *
 * Git sees the repository's own objects only while it reads ("borrowing"). If git finds an object there that it wants to
 * write, it updates the time of that file. That would be a change in the user's repository. So whatever writes does not
 * see those objects, and writes its own.
 */
import { utimesSync } from "node:fs";
import { readTextOrNull } from "../../files/bounded-read.ts";
import { pathIn } from "../../files/path-in.ts";
import { makePrivateDirectory } from "../../files/private-path.ts";
import { writeNew } from "../../files/replace-file.ts";
import type { Environment } from "../../settings/environment.ts";
import { quotedGitValue } from "../git-config.ts";
import { fileNamedBy, readUserSettings } from "../git-settings.ts";
import { alternateObjects, gitConfiguration, openGitDirectory, type PrivateGitOptions } from "../private-git.ts";
import type { RecordPlace } from "./record-place.ts";

export type RecordGitOptions = Omit<PrivateGitOptions, "budgetMs">;

/** `bytes`: one character for each byte, because names need not be text. */
export type RecordAnswer =
  | { readonly ended: "done"; readonly bytes: string; readonly errors: string; readonly cut: boolean }
  | { readonly ended: "failed"; readonly bytes: string; readonly errors: string }
  | { readonly ended: "no_git" | "too_slow" };

export interface RecordAsk {
  readonly input?: string;
  /** Whether git may read the repository's own objects. Nothing that writes may. */
  readonly borrows?: boolean;
  /** Another index than the one of the snapshot. */
  readonly index?: string;
  readonly maxBytes?: number;
}

export interface RecordGit {
  /** Never rejects. */
  ask(args: readonly string[], how?: RecordAsk): Promise<RecordAnswer>;
  /** Puts a file into the directory. */
  put(name: string, parts: readonly Uint8Array[], timeMs?: number): void;
  path(name: string): string;
  /** Ends what still runs, and removes the directory. */
  close(): void;
}

const LISTS_BYTES = 512 * 1024 * 1024;
const ERROR_BYTES = 8192;
const RULES_BYTES = 1_048_576;
/** How git compares names and times. What it thinks of modes and links is not asked: the record has what is there. */
const COPIED = ["ignorecase", "precomposeunicode", "trustctime", "checkstat"];
const PLAIN_WORD = /^[A-Za-z0-9]+$/;
const FIXED = [
  "splitIndex = false",
  "autocrlf = false",
  "safecrlf = false",
  "filemode = true",
  "symlinks = true",
  "quotePath = false",
  "sparseCheckout = false",
  "commitGraph = false",
  "multiPackIndex = false",
];
/** Every blob is the bytes of the file. These rules win over those of the tree. */
const EXACT_BYTES = "* -text -crlf -eol -filter -ident -working-tree-encoding\n";

/** Null where there is no git or no directory for it. Throws the system's error, for example for a full disk. */
export function openRecordGit(
  place: RecordPlace,
  options: RecordGitOptions,
  { budgetMs, withTree }: { readonly budgetMs: number; readonly withTree: boolean },
): RecordGit | null {
  const opened = openGitDirectory(place.topLevel, { ...options, budgetMs }, (directory) => {
    const put = (name: string, text: string) => writeNew(pathIn(directory, name), [Buffer.from(text)], 0o600);
    for (const name of ["refs", "info"]) makePrivateDirectory(pathIn(directory, name));
    put("HEAD", "ref: refs/heads/none\n");
    put("config", configuration(place, options.env, withTree));
    put("info/attributes", EXACT_BYTES);
    if (withTree) put("info/exclude", ownExcludes(place));
  });
  if (opened === null) return null;
  const { directory } = opened;
  const base = {
    ...(withTree && { GIT_WORK_TREE: place.topLevel }),
    GIT_OBJECT_DIRECTORY: place.objects,
    GIT_LITERAL_PATHSPECS: "1",
  };
  const borrowed = { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternateObjects(objectsOf(place)) };
  return {
    async ask(args, { input, borrows = false, index = "index", maxBytes = LISTS_BYTES } = {}) {
      const env = { ...base, ...(borrows && borrowed), GIT_INDEX_FILE: pathIn(directory, index) };
      const answer = await opened.run({
        args,
        cwd: withTree ? place.topLevel : directory,
        env,
        maxBytes,
        encoding: "latin1",
        errorBytes: ERROR_BYTES,
        ...(input !== undefined && { input: Buffer.from(input, "latin1") }),
      });
      if (answer.ended === "missing") return { ended: opened.isTooLate() ? "too_slow" : "no_git" };
      if (answer.ended === "cut") return { ended: "done", bytes: answer.output, errors: "", cut: true };
      if (answer.ended !== "exit") return { ended: "too_slow" };
      const { output: bytes, errors } = answer;
      return answer.code === 0 ? { ended: "done", bytes, errors, cut: false } : { ended: "failed", bytes, errors };
    },
    put(name, parts, timeMs) {
      writeNew(pathIn(directory, name), parts, 0o600);
      // A millisecond earlier: git then compares more files by their content, never fewer.
      if (timeMs !== undefined) setTime(pathIn(directory, name), Math.floor(timeMs) - 1);
    },
    path: (name) => pathIn(directory, name),
    close: () => opened.close(),
  };
}

/** The repository's own objects. Git follows what they borrow themselves. */
function objectsOf({ repository }: RecordPlace): string {
  return pathIn(repository.commonDir, "objects");
}

function ownExcludes({ repository }: RecordPlace): string {
  return readTextOrNull(pathIn(repository.commonDir, "info/exclude"), RULES_BYTES) ?? "";
}

/** The user's own list of ignored files, if there is one. */
export function userExcludesFile({ settings }: RecordPlace, env: Environment): string | null {
  const user = readUserSettings(env);
  return fileNamedBy(settings("core.excludesfile") ?? user("core.excludesfile"), "ignore", env);
}

function configuration(place: RecordPlace, env: Environment, withTree: boolean): string {
  const excludesFile = withTree ? userExcludesFile(place, env) : null;
  const copied = COPIED.flatMap((name) => {
    const value = place.settings(`core.${name}`);
    return value !== null && PLAIN_WORD.test(value) ? [`${name} = ${value}`] : [];
  });
  const excludes = excludesFile === null ? [] : [`excludesFile = ${quotedGitValue(excludesFile)}`];
  return gitConfiguration({
    isSha256: place.idBytes === 32,
    bare: !withTree,
    core: [...FIXED, ...copied, ...excludes],
    sections: [
      ["submodule", ["recurse = false"]],
      ["gc", ["auto = 0"]],
    ],
  });
}

function setTime(path: string, ms: number): void {
  utimesSync(path, ms / 1000, ms / 1000);
}
