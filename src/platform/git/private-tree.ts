/** A working tree as git may see it without the repository's configuration (private-git.ts). */
import { resolve } from "node:path";
import { readRegularFile, readTextOrNull } from "../files/bounded-read.ts";
import { pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import type { Environment } from "../settings/environment.ts";
import type { GitRepository } from "./git-checkout.ts";
import { quotedGitValue } from "./git-config.ts";
import { copyIndexWithoutGitlinks, type Gitlink, type IndexCopy } from "./git-index.ts";
import { fileNamedBy, type GitSettings, isTrue, readRepositorySettings, readUserSettings } from "./git-settings.ts";
import { openPrivateGit, type PrivateGit, type PrivateGitOptions } from "./private-git.ts";

export interface PrivateTree extends PrivateGit {
  readonly gitlinks: readonly Gitlink[];
  /** Whether attributes may send files through a filter. It is not run, so what it does is not known. */
  readonly mayFilter: boolean;
}

const INDEX_BYTES = 64 * 1024 * 1024;
const RULES_BYTES = 1_048_576;
const ATTRIBUTE_FILES_MAX = 100;

/** How git compares files. Programs and paths are not among them, and a value is one plain word. */
const COPIED = [
  "autocrlf",
  "eol",
  "filemode",
  "symlinks",
  "ignorecase",
  "precomposeunicode",
  "trustctime",
  "checkstat",
];
const PLAIN_WORD = /^[A-Za-z0-9]+$/;

/** Null for a tree that cannot be compared in this way: no tree, or an index that is not understood. */
export function openPrivateTree(
  { topLevel, repository }: { readonly topLevel: string; readonly repository: GitRepository },
  head: string,
  options: PrivateGitOptions,
): PrivateTree | null {
  const own = readRepositorySettings(repository);
  if (own === null || !isTreeOf(topLevel, repository, own)) return null;
  const index = readIndex(repository, head);
  if (index === null) return null;
  const user = readUserSettings(options.env);
  const setting: GitSettings = (name) => own(name) ?? user(name);
  const attributesFile = fileNamedBy(setting("core.attributesfile"), "attributes", options.env);
  const attributes = textOf(pathIn(repository.commonDir, "info/attributes"));
  const git = openPrivateGit(
    {
      topLevel,
      objects: pathIn(repository.commonDir, "objects"),
      head,
      tree: {
        index: index.copy.parts,
        indexTimeMs: index.timeMs,
        settings: settingLines(setting, attributesFile, options.env),
        excludes: textOf(pathIn(repository.commonDir, "info/exclude")),
        attributes,
      },
    },
    options,
  );
  const rules = () => [
    attributes,
    ...(attributesFile === null ? [] : [textOf(attributesFile)]),
    ...[".gitattributes", ...index.copy.attributeFiles].map((name) => textOf(pathIn(topLevel, name))),
  ];
  return git && { ...git, gitlinks: index.copy.gitlinks, mayFilter: mayFilter(index.copy, rules) };
}

/** A bare repository has no tree, and the tree of another one may lie elsewhere. */
export function isTreeOf(topLevel: string, { gitDir, commonDir }: GitRepository, setting: GitSettings): boolean {
  if (gitDir === topLevel) return false;
  // These two settings are about the main working tree.
  if (realPathOrNull(gitDir) !== commonDir) return true;
  const named = setting("core.worktree");
  return !isTrue(setting("core.bare")) && (named === null || realPathOrNull(resolve(gitDir, named)) === topLevel);
}

interface ReadIndex {
  readonly copy: IndexCopy;
  readonly timeMs: number;
}

function readIndex({ gitDir }: GitRepository, head: string): ReadIndex | null {
  try {
    const { bytes, stats } = readRegularFile(pathIn(gitDir, "index"), INDEX_BYTES);
    const copy = copyIndexWithoutGitlinks(bytes, head.length === 64 ? 32 : 20);
    return copy && { copy, timeMs: stats.mtimeMs };
  } catch {
    // No index, or none that can be read: nothing to compare with.
    return null;
  }
}

function settingLines(setting: GitSettings, attributesFile: string | null, env: Environment): string[] {
  const copied = COPIED.flatMap((name) => {
    const value = setting(`core.${name}`);
    return value !== null && PLAIN_WORD.test(value) ? [`${name} = ${value}`] : [];
  });
  const excludesFile = fileNamedBy(setting("core.excludesfile"), "ignore", env);
  return [
    ...copied,
    ...(excludesFile === null ? [] : [`excludesFile = ${quotedGitValue(excludesFile)}`]),
    ...(attributesFile === null ? [] : [`attributesFile = ${quotedGitValue(attributesFile)}`]),
  ];
}

/** Most repositories have no filters, and a look at the text spares them a question to git. */
function mayFilter({ attributeFiles }: IndexCopy, rules: () => readonly string[]): boolean {
  return attributeFiles.length > ATTRIBUTE_FILES_MAX || rules().some((text) => text.includes("filter"));
}

function textOf(file: string): string {
  return readTextOrNull(file, RULES_BYTES) ?? "";
}
