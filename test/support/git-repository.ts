import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Runs git for a test, untouched by the settings of the person who runs it; answers what git printed. */
export function git(cwd: string, ...args: string[]): string {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const author = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.org" };
  const committer = { GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.org" };
  const settings = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...Object.fromEntries(kept), ...author, ...committer, ...settings },
  }).trim();
}

/** A repository on the branch `main` with one commit of one file. */
export function makeRepository(path: string): string {
  mkdirSync(path, { recursive: true });
  git(path, "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(path, "first.txt"), "one\n");
  git(path, "add", ".");
  git(path, "commit", "--quiet", "--message=first");
  return path;
}
