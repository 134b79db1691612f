/** The home and the project of a throwaway user. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../settings/environment.ts";
import { makeScratchDirectory, type ScratchDirectory } from "./scratch-directory.ts";

export interface ThrowawayUser {
  readonly home: string;
  readonly tree: string;
  /** All that the user's programs see of the world. Every directory in it is inside the scratch directory. */
  readonly env: Environment;
  remove(): void;
}

/** `path`: where programs are searched. */
export function makeThrowawayUser(prefix: string, path: string): ThrowawayUser {
  const scratch = makeScratchDirectory(prefix);
  const home = scratch.directory("home");
  const tree = scratch.directory("tree");
  // What git needs to take it for a repository.
  writeFiles(tree, { ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/.keep": "", ".git/refs/.keep": "" });
  return { home, tree, env: environmentOf(scratch, home, path), remove: () => scratch.remove() };
}

function environmentOf(scratch: ScratchDirectory, home: string, path: string): Environment {
  return {
    PATH: path,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/sh",
    USER: "user",
    TMPDIR: scratch.directory("tmp"),
    XDG_RUNTIME_DIR: scratch.directory("run"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    // For systems without a network of its own: everything but loopback goes to a port where nobody listens.
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    ALL_PROXY: NOWHERE,
    NO_PROXY: "127.0.0.1,localhost",
    // As long as the harnesses' own limit lets a hook run: a slow machine is not what is tried here.
    TT_HOOK_DEADLINE_MS: "2500",
  };
}

const NOWHERE = "http://127.0.0.1:9";

/** Texts by their path below a directory. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
}
