/**
 * The few settings of a repository and of its user that say how files are compared. They are read as data, from files,
 * so that git itself never reads a configuration that could name a program.
 */
import { isAbsolute } from "node:path";
import { readTextOrNull } from "../files/bounded-read.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { pathIn } from "../files/path-in.ts";
import type { Environment } from "../settings/environment.ts";
import type { GitRepository } from "./git-checkout.ts";
import { type GitSetting, parseGitConfig } from "./git-config.ts";

/** The value that counts for a name such as `core.autocrlf`; null when it is not set. */
export type GitSettings = (name: string) => string | null;

const CONFIG_BYTES = 1_048_576;
const INCLUDES_DEEP = 5;

/** Null when a configuration of the repository cannot be read as git would read it. */
export function readRepositorySettings({ gitDir, commonDir }: GitRepository): GitSettings | null {
  const shared = settingsIn(pathIn(commonDir, "config"));
  if (shared === null) return null;
  const ofAll = lastOf(shared);
  if (!isTrue(ofAll("extensions.worktreeconfig"))) return ofAll;
  const own = settingsIn(pathIn(gitDir, "config.worktree"));
  return own && lastOf([...shared, ...own]);
}

/** The user's own settings, and the files that they include. */
export function readUserSettings(env: Environment): GitSettings {
  return lastOf(userFiles(env).flatMap((file) => withIncluded(file, env, INCLUDES_DEEP)));
}

const SYSTEM_FILE = "/etc/gitconfig";

/** A value that a setting may have. Whether a condition holds, only git knows. */
export interface PossibleValue {
  readonly value: string;
  readonly isConditional: boolean;
}

/**
 * Every value of a setting in the files of the system, the user and the repository and in those that they include, in
 * the order in which git reads them. Null when the repository's own cannot be read as git would read it.
 */
export function possibleValues(
  name: string,
  repository: GitRepository,
  env: Environment,
): readonly PossibleValue[] | null {
  if (readRepositorySettings(repository) === null) return null;
  const own = [pathIn(repository.commonDir, "config"), pathIn(repository.gitDir, "config.worktree")];
  return [SYSTEM_FILE, ...userFiles(env), ...own].flatMap((file) => valuesIn(file, name, env, INCLUDES_DEEP));
}

function valuesIn(file: string, name: string, env: Environment, deep: number): readonly PossibleValue[] {
  return (settingsIn(file) ?? []).flatMap((setting) => {
    if (setting.name === name) return [{ value: setting.value, isConditional: false }];
    if (!/^include(?:if\..*)?\.path$/.test(setting.name) || deep === 0) return [];
    const isConditional = setting.name !== "include.path";
    const included = valuesIn(includedFile(file, setting.value, env), name, env, deep - 1);
    return included.map((each) => ({ ...each, isConditional: each.isConditional || isConditional }));
  });
}

/** A file that a setting names, or else the one of that name in git's usual place; null when there is none. */
export function fileNamedBy(value: string | null, usualName: string, env: Environment): string | null {
  const files = value === null ? directoryOf(env).map((directory) => pathIn(directory, usualName)) : inHome(env, value);
  return files.find((file) => isAbsolute(file)) ?? null;
}

export function isTrue(value: string | null): boolean {
  return value !== null && /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
}

/** No file is no setting. */
function settingsIn(file: string): readonly GitSetting[] | null {
  return parseGitConfig(readTextOrNull(file, CONFIG_BYTES) ?? "");
}

function withIncluded(file: string, env: Environment, deep: number): GitSetting[] {
  return (settingsIn(file) ?? []).flatMap((setting) => {
    if (setting.name !== "include.path" || deep === 0) return [setting];
    return withIncluded(includedFile(file, setting.value, env), env, deep - 1);
  });
}

function includedFile(file: string, value: string, env: Environment): string {
  const [named = ""] = inHome(env, value);
  return isAbsolute(named) ? named : pathIn(file.slice(0, file.lastIndexOf("/")), named);
}

function userFiles(env: Environment): string[] {
  return [...directoryOf(env).map((directory) => pathIn(directory, "config")), ...inHome(env, "~/.gitconfig")];
}

function lastOf(settings: readonly GitSetting[]): GitSettings {
  const values = new Map(settings.map(({ name, value }) => [name, value]));
  return (name) => values.get(name) ?? null;
}

/** Where git looks for a user's files, besides the home directory. */
function directoryOf(env: Environment): string[] {
  const configs = env["XDG_CONFIG_HOME"];
  return configs && isAbsolute(configs) ? [pathIn(configs, "git")] : inHome(env, "~/.config/git");
}

export function inHome(env: Environment, path: string): string[] {
  if (!path.startsWith("~/")) return [path];
  const home = homeDirectory(env);
  return home === null ? [] : [pathIn(home, path.slice(2))];
}
