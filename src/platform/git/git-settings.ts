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
  const files = [...directoryOf(env).map((directory) => pathIn(directory, "config")), ...inHome(env, "~/.gitconfig")];
  return lastOf(files.flatMap((file) => withIncluded(file, env, INCLUDES_DEEP)));
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
    const [named = ""] = inHome(env, setting.value);
    const included = isAbsolute(named) ? named : pathIn(file.slice(0, file.lastIndexOf("/")), named);
    return withIncluded(included, env, deep - 1);
  });
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

function inHome(env: Environment, path: string): string[] {
  if (!path.startsWith("~/")) return [path];
  const home = homeDirectory(env);
  return home === null ? [] : [pathIn(home, path.slice(2))];
}
