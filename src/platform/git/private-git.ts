/**
 * Asks git about a repository, and treats that repository as data only. The configuration, attributes and hooks in a
 * git directory can name programs. So git gets a directory of ours instead. The repository contributes its objects and
 * the files of its working tree, and git never reads its configuration.
 *
 * - The directory lasts for one question. Agents in a sandbox may write in the data directory: if it stayed there, they
 *   could change its configuration, and what that names would run outside of their sandbox.
 * - The environment holds only what is set here. So git does not read the user's configuration either, where an attribute
 *   of the tree could choose a filter.
 * - Nothing is written into the user's repository, and nothing is fetched.
 */
import { mkdirSync, rmdirSync, rmSync, type Stats, unlinkSync, utimesSync } from "node:fs";
import { monotonicMs } from "../clock/monotonic.ts";
import { createRandomness } from "../clock/randomness.ts";
import { cacheDirectory } from "../code/code-cache.ts";
import { listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { lookAt, makePrivateDirectory } from "../files/private-path.ts";
import { writeNew } from "../files/replace-file.ts";
import { programIn, safePath } from "../process/find-program.ts";
import { type ChildAnswer, type ChildRun, type RunningChild, runChild } from "../process/run-briefly.ts";
import type { Environment } from "../settings/environment.ts";

export interface PrivateGitOptions {
  readonly env: Environment;
  /** Directories of this user in which we may create ours. The first writable one is used. */
  readonly scratch: readonly string[];
  readonly budgetMs: number;
  readonly gitProgram?: string;
}

/** What git gets to see of a repository. */
export interface RepositoryData {
  readonly topLevel: string;
  /** Its `objects` directory. */
  readonly objects: string;
  /** The commit that is checked out. */
  readonly head: string;
  /** The working tree; null for questions about commits alone. */
  readonly tree: TreeData | null;
}

export interface TreeData {
  /** Its bytes, in parts. */
  readonly index: readonly Buffer[];
  /** When the index was written: a file that has changed since then is compared by its content. */
  readonly indexTimeMs: number;
  /** Lines of the section `core`. */
  readonly settings: readonly string[];
  readonly excludes: string;
  readonly attributes: string;
}

export interface GitAnswer {
  readonly text: string;
  /** Whether git printed more than the caller wanted, and was ended. */
  readonly cut: boolean;
}

export interface PrivateGit {
  /** Null when git is missing, fails or takes too long. Never rejects. */
  ask(args: readonly string[], how: { readonly maxBytes: number; readonly cwd?: string }): Promise<GitAnswer | null>;
  /** Ends what still runs, and removes the directory. */
  close(): void;
}

const PREFIX = "tt-git-";
const [HEAD, CONFIG, INDEX, REFS, INFO] = ["HEAD", "config", "index", "refs", "info"];
/** After this time, a directory that a killed process left behind is removed. */
const LEFT_BEHIND_MS = 600_000;
const OTHERS_WRITE = 0o022;

/**
 * The user's directories for files that do not last come first: agents in a sandbox may not write there. If we may not
 * either, we are in a sandbox ourselves, where the data directory can be written and git is held by the same sandbox.
 */
export function scratchPlaces(env: Environment, dataDir: string): readonly string[] {
  const places = [env["XDG_RUNTIME_DIR"], cacheDirectory(env), dataDir];
  return places.filter((place): place is string => place?.startsWith("/") === true);
}

/** Null where there is no git, or no directory can be made. */
export function openPrivateGit(data: RepositoryData, options: PrivateGitOptions): PrivateGit | null {
  try {
    const git = openGitDirectory(data.topLevel, options, (directory) => fill(directory, data));
    if (git === null) return null;
    const env = environment(git.directory, data);
    return {
      ask: (args, { maxBytes, cwd = data.topLevel }) => git.run({ args, cwd, env, maxBytes }).then(textIn),
      close: () => git.close(),
    };
  } catch {
    // The disk is full: no answer.
    return null;
  }
}

/** A directory of ours for one question, and the processes of git that use it. */
export interface GitDirectory {
  readonly directory: string;
  /** Never rejects. */
  run(git: Omit<ChildRun, "program" | "timeoutMs">): Promise<ChildAnswer>;
  isTooLate(): boolean;
  /** Ends what still runs, and removes the directory. */
  close(): void;
}

/** Null where there is no git, or no directory can be made. Throws what `put` throws, for example for a full disk. */
export function openGitDirectory(
  topLevel: string,
  { env, scratch, budgetMs, gitProgram }: PrivateGitOptions,
  put: (directory: string) => void,
): GitDirectory | null {
  const deadline = monotonicMs() + budgetMs;
  const path = safePath(env, topLevel);
  const program = gitProgram ?? programIn(path, "git");
  const directory = program && makeGitDirectory(scratch);
  if (program === null || directory === null) return null;
  const running: RunningChild[] = [];
  const close = () => {
    for (const git of running) git.end();
    removeDirectory(directory);
  };
  try {
    put(directory);
  } catch (error) {
    close();
    throw error;
  }
  return {
    directory,
    run(wanted) {
      const closed = { ...closedEnvironment(directory), ...wanted.env, PATH: path.join(":") };
      const git = runChild({ ...wanted, program, env: closed, timeoutMs: deadline - monotonicMs() });
      running.push(git);
      return git.answer;
    },
    isTooLate: () => deadline <= monotonicMs(),
    close,
  };
}

function textIn(answer: ChildAnswer): GitAnswer | null {
  const isWhole = answer.ended === "exit" && answer.code === 0;
  return isWhole || answer.ended === "cut" ? { text: answer.output, cut: !isWhole } : null;
}

function environment(directory: string, data: RepositoryData): Record<string, string> {
  return {
    ...(data.tree && { GIT_WORK_TREE: data.topLevel }),
    // Objects that git creates would stay here. To compare files it creates none, so it has no directory for them.
    GIT_OBJECT_DIRECTORY: directory,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: alternateObjects(data.objects),
  };
}

/** A git that reads the configuration of this directory, and no other one. */
function closedEnvironment(directory: string): Record<string, string> {
  return {
    LC_ALL: "C",
    GIT_DIR: directory,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    // No configuration names a place to fetch missing objects from; these are for a git that finds one anyway.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
  };
}

function fill(directory: string, { head, tree }: RepositoryData): void {
  makePrivateDirectory(pathIn(directory, REFS));
  write(directory, HEAD, `${head}\n`);
  const isSha256 = head.length === 64;
  write(directory, CONFIG, gitConfiguration({ isSha256, bare: tree === null, core: tree?.settings ?? [] }));
  if (tree === null) return;
  write(directory, INDEX, tree.index);
  // Rounded down: git then compares more files by their content, never fewer.
  const seconds = Math.floor(tree.indexTimeMs / 1000);
  utimesSync(pathIn(directory, INDEX), seconds, seconds);
  const rules = Object.entries({ exclude: tree.excludes, attributes: tree.attributes }).filter(([, text]) =>
    saysAny(text),
  );
  if (rules.length > 0) makePrivateDirectory(pathIn(directory, INFO));
  for (const [name, text] of rules) write(directory, `${INFO}/${name}`, text);
}

/** The file that git writes for a new repository has only comments. */
function saysAny(rules: string): boolean {
  return /^[^#\r\n]/m.test(rules);
}

export interface GitConfiguration {
  readonly isSha256: boolean;
  readonly bare: boolean;
  /** Further lines of the section `core`. */
  readonly core: readonly string[];
  readonly sections?: readonly (readonly [name: string, lines: readonly string[]])[];
}

/** A configuration that names no program. */
export function gitConfiguration({ isSha256, bare, core, sections = [] }: GitConfiguration): string {
  const fixed = ["fsmonitor = false", "untrackedCache = false", "hooksPath = /dev/null"];
  const all: Required<GitConfiguration>["sections"] = [
    ["core", [`repositoryFormatVersion = ${isSha256 ? 1 : 0}`, `bare = ${bare}`, ...fixed, ...core]],
    ["diff", ["ignoreSubmodules = all"]],
    ...sections,
    ...(isSha256 ? [["extensions", ["objectFormat = sha256"]] as const] : []),
  ];
  return all.map(([name, lines]) => `[${name}]\n${lines.map((line) => `\t${line}\n`).join("")}`).join("");
}

/** Git expects a list that is separated by colons, and understands quotes. */
export function alternateObjects(path: string): string {
  return path.includes(":") ? `"${path.replace(/[\\"]/g, "\\$&")}"` : path;
}

/** A new directory of ours in the first of the places that we may write; null where there is none. */
function makeGitDirectory(parents: readonly string[]): string | null {
  for (const parent of parents) {
    try {
      let stats = lookAt(parent);
      // Create a directory of ours, but not the runtime directory of a login that has ended.
      if (stats === null && parent.endsWith("/tt")) {
        mkdirSync(parent, { recursive: true, mode: 0o700 });
        stats = lookAt(parent);
      }
      if (stats === null || !isOursAlone(stats)) continue;
      removeLeftBehind(parent);
      const directory = pathIn(parent, `${PREFIX}${createRandomness().id()}`);
      makePrivateDirectory(directory);
      return directory;
    } catch {
      // Not writable, for example in a sandbox.
    }
  }
  return null;
}

function isOursAlone(stats: Stats): boolean {
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & OTHERS_WRITE) === 0;
}

function removeLeftBehind(parent: string): void {
  const before = Date.now() - LEFT_BEHIND_MS;
  for (const name of listNames(parent).filter((one) => one.startsWith(PREFIX))) {
    const path = pathIn(parent, name);
    // A planted link is not followed.
    const stats = lookAt(path);
    if (stats !== null && stats.mtimeMs < before) removeGitDirectory(path);
  }
}

function removeDirectory(directory: string): void {
  try {
    // The files of the usual case, by name. Listing the directory would take longer.
    for (const name of [INDEX, CONFIG, HEAD]) unlinkSync(pathIn(directory, name));
    for (const name of [REFS, ""]) rmdirSync(pathIn(directory, name));
  } catch {
    removeGitDirectory(directory);
  }
}

function removeGitDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // A child that was killed just now still wrote there; the next call removes it when it is old.
  }
}

function write(directory: string, name: string, content: string | readonly Buffer[]): void {
  writeNew(pathIn(directory, name), typeof content === "string" ? [Buffer.from(content)] : content, 0o600);
}
