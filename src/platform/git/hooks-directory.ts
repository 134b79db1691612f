/** Where git looks for the hooks of a working tree, read as data, and whether that is a place of this repository alone. */
import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { readTextOrNull } from "../files/bounded-read.ts";
import { isWithin, pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import type { Environment } from "../settings/environment.ts";
import type { GitRepository } from "./git-checkout.ts";
import { inHome, possibleValues } from "./git-settings.ts";

export type HooksDirectory =
  /** `isHusky`: it belongs to husky, which writes its own hooks into it. */
  { readonly path: string; readonly isHusky: boolean } | { readonly why: string };

const IGNORE_BYTES = 4096;

export function hooksDirectoryOf(topLevel: string, repository: GitRepository, env: Environment): HooksDirectory {
  const usual = pathIn(repository.commonDir, "hooks");
  const values = possibleValues("core.hookspath", repository, env);
  if (values === null) return { why: "Its configuration cannot be read." };
  const value = values.at(-1)?.value;
  if (values.some(({ isConditional }) => isConditional))
    return { why: "Whether core.hooksPath is set depends on a condition in your configuration of git." };
  if (value === undefined) return unlessLinked(usual, false);
  const [named = value] = inHome(env, value);
  const path = resolve(topLevel, named);
  if (path === usual || realPathOrNull(path) === realPathOrNull(usual)) return unlessLinked(usual, false);
  const isHusky = path.endsWith("/.husky/_") && isWithin(topLevel, path) && ignoresAll(path);
  if (isHusky) return unlessLinked(path, true);
  return { why: `core.hooksPath is ${value}, a directory that others share or that the project tracks.` };
}

/** The project does not track what is in it. */
function ignoresAll(directory: string): boolean {
  const text = readTextOrNull(pathIn(directory, ".gitignore"), IGNORE_BYTES, { followLinks: false });
  return text?.split("\n").includes("*") === true;
}

/** A link may lead to a directory that others share. */
function unlessLinked(path: string, isHusky: boolean): HooksDirectory {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? { why: `${path} is a link to another place.` } : { path, isHusky };
}
