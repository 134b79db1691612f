/**
 * What has to be written into a repository so that git asks before an agent without the stick changes it. Git 2.54 and
 * newer take hooks from the configuration, beside those of the project. For an older git it takes a file in the directory
 * of hooks. A directory that others share, or that the project tracks, is left alone. Changes nothing.
 */
import type { Stats } from "node:fs";
import type { GitLayerPlan, GitLayerWrite } from "../../engine/ports/git-layer.ts";
import { readFileOrNull } from "../files/bounded-read.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { isThere } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import { runBriefly } from "../process/run-briefly.ts";
import type { Environment } from "../settings/environment.ts";
import { findCheckout } from "./git-checkout.ts";
import { parseGitConfig } from "./git-config.ts";
import {
  chainedHookFile,
  configSections,
  GUARD_HOOKS,
  type GuardHook,
  hookFile,
  hookLine,
  isHuskyHook,
  isOurHookFile,
  MOVED_HOOKS,
  withHookLine,
  withoutConfigSections,
} from "./git-layer-text.ts";
import { hooksDirectoryOf } from "./hooks-directory.ts";

export interface GitLayerWorld {
  readonly env: Environment;
  /** Our script, which git is to call. */
  readonly program: string;
}

export const CONFIG_BYTES = 1_048_576;
const VERSION_MS = 5000;
/** The first with hooks in the configuration, and the first that asks before it changes refs. */
const [WITH_CONFIG, WITH_HOOK] = [2054, 2028];

/** `gitVersion`: as `versionOfGit` found it. */
export function planGitLayer(path: string, gitVersion: string | null, world: GitLayerWorld): GitLayerPlan {
  const { env } = world;
  const place = realPathOrNull(path);
  const home = homeDirectory(env);
  const checkout = place && findCheckout(place, home && realPathOrNull(home));
  const repository = checkout ? checkout.repository : null;
  const number = numberOf(gitVersion);
  const about = { repository: repository?.commonDir ?? null, gitVersion };
  const none = (why: string): GitLayerPlan => ({ kind: "hole", place: null, ...about, writes: [], holes: [why] });
  if (!checkout || !repository) return none("There is no git repository here.");
  if (number === null) return none("There is no git on the PATH.");
  if (number < WITH_HOOK) return none(`git ${gitVersion} asks no hook before it changes refs; git 2.28 does.`);
  if (number >= WITH_CONFIG) {
    const write = configWrite(pathIn(repository.commonDir, "config"), world);
    if (typeof write === "string") return none(write);
    return { kind: "config", place: "config", ...about, writes: [write], holes: [OLDER_GIT] };
  }
  const directory = hooksDirectoryOf(checkout.topLevel, repository, env);
  if ("why" in directory) return none(directory.why);
  const outcomes = GUARD_HOOKS.map((hook) => hookWrite(directory, hook, world));
  const writes = outcomes.filter((outcome) => typeof outcome !== "string");
  const problems = outcomes.filter((outcome) => typeof outcome === "string");
  const holes = [...problems, ...(directory.isHusky ? [HUSKY_WRITES] : [])];
  if (writes.length === 0) return { ...none(""), holes };
  return { kind: "file", place: directory.isHusky ? "husky" : "hooks", ...about, writes, holes };
}

const OLDER_GIT = "A git older than 2.54, such as one that an editor brings along, does not read these hooks.";
const HUSKY_WRITES =
  "Husky writes its pre-rebase hook again with each npm install; to put the line back, set the guard again. Other working trees have hooks of their own.";

/** Git runs in the root directory, where no repository has a configuration. */
export async function versionOfGit(env: Environment): Promise<string | null> {
  const quiet = { PATH: env["PATH"], LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const answer = await runBriefly("git", ["--version"], { env: quiet, timeoutMs: VERSION_MS });
  return answer.ended === "exit" ? (/^git version (\d+\.\d+[\w.]*)/.exec(answer.output)?.[1] ?? null) : null;
}

function numberOf(version: string | null): number | null {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  return major === undefined ? null : Number(major) * 1000 + Number(minor);
}

function configWrite(path: string, { program }: GitLayerWorld): GitLayerWrite | string {
  const file = readFileOrNull(path, CONFIG_BYTES, { followLinks: false });
  if (file === null || parseGitConfig(file.bytes.toString("utf8")) === null) return `${path} cannot be read.`;
  const locked = lockOn(path, file.stats);
  if (locked !== null) return locked;
  const text = file.bytes.toString("latin1");
  const sections = configSections(program);
  const clean = withoutConfigSections(text);
  const added = clean === "" || clean.endsWith("\n") ? sections : `\n${sections}`;
  const isThereNow = text.split(bytesOf(sections)).length === 2 && withoutOurs(text, sections) === clean;
  return { path, action: isThereNow ? "keep" : "add", text: isThereNow ? sections : added, movedTo: null };
}

/** Without this text of ours alone. */
function withoutOurs(text: string, ours: string): string {
  return text.replace(bytesOf(ours), "");
}

function hookWrite(
  directory: { readonly path: string; readonly isHusky: boolean },
  hook: GuardHook,
  { program }: GitLayerWorld,
): GitLayerWrite | string {
  const path = pathIn(directory.path, hook);
  const movedTo = pathIn(directory.path, `${MOVED_HOOKS}/${hook}`);
  const file = readFileOrNull(path, CONFIG_BYTES, { followLinks: false });
  if (file === null) {
    if (isThere(path)) return `${path} is a link, or cannot be read, so ${hook} is left as it is.`;
    return { path, action: "make", text: hookFile(program, hook), movedTo: null };
  }
  const locked = lockOn(path, file.stats);
  if (locked !== null) return locked;
  const text = file.bytes.toString("latin1");
  const mayRun = (file.stats.mode & 0o111) !== 0;
  if (isOurHookFile(text)) {
    const isChained = isThere(movedTo);
    const wanted = (isChained ? chainedHookFile : hookFile)(program, hook);
    const action = text === bytesOf(wanted) && mayRun ? "keep" : "replace";
    return { path, action, text: wanted, movedTo: isChained ? movedTo : null };
  }
  if (directory.isHusky && isHuskyHook(text)) {
    const line = hookLine(program, hook);
    const action = text === withHookLine(text, bytesOf(line)) ? "keep" : "add";
    return { path, action, text: line, movedTo: null };
  }
  if (isThere(movedTo)) return `${movedTo} is in the way of the hook that would be moved there.`;
  return { path, action: "chain", text: chainedHookFile(program, hook), movedTo };
}

function lockOn(path: string, stats: Stats): string | null {
  if (stats.uid !== (process.getuid?.() ?? stats.uid)) return `${path} belongs to user id ${stats.uid}.`;
  return stats.nlink > 1 ? `${path} has ${stats.nlink} names (hard links).` : null;
}

/** The text as the bytes that it has in UTF-8, one character each: what others wrote need not be UTF-8. */
export function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
