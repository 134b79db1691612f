/** A repository with a few files, in which commands really run. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Fingerprint = ReadonlyMap<string, string>;

export interface ScratchTree {
  readonly root: string;
  /** The paths that differ from how the tree was made. */
  readonly changes: () => readonly string[];
  /** Runs each command in a shell of its own, one after the other. One that does not end is ended. */
  readonly run: (shell: "sh" | "bash", commands: readonly string[]) => void;
  readonly restore: () => void;
  readonly remove: () => void;
}

const FILES: Readonly<Record<string, string>> = {
  "a.txt": "1 one\n2 two\na b\n",
  "b.txt": "b\na\n3 three\n",
  "src/c.ts": "export const c = 1;\n",
  "sp ace.txt": "x\n",
  "logs/d.log": "old\n",
};

/** Long before the index is written, so that git need not look into the files again. */
const LONG_AGO = new Date("2020-01-01T00:00:00Z");

export function makeScratchTree(): ScratchTree {
  const base = mkdtempSync(join(tmpdir(), "tt-shell-"));
  const [root, copy, home] = ["root", "copy", "home"].map((name) => join(base, name)) as [string, string, string];
  // Without it git may rewrite its index with what it cached about files. Its content stays the same.
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: home,
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    F: "b.txt",
    X: "-o new.txt",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) => [
        [`GIT_${who}_NAME`, "n"],
        [`GIT_${who}_EMAIL`, "e"],
      ]),
    ),
  };
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, env, stdio: "ignore" });
  mkdirSync(home, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
    utimesSync(join(root, name), LONG_AGO, LONG_AGO);
  }
  execFileSync("tar", ["-cf", "x.tar", "src"], { cwd: root });
  writeFileSync(join(root, "z.gz"), execFileSync("gzip", ["-c", "a.txt"], { cwd: root }));
  utimesSync(join(root, "x.tar"), LONG_AGO, LONG_AGO);
  utimesSync(join(root, "z.gz"), LONG_AGO, LONG_AGO);
  git("init", "-q", "--template=", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("tag", "v1");
  cpSync(root, copy, { recursive: true, preserveTimestamps: true });
  let made = fingerprint(root);
  return {
    root,
    changes: () => differences(made, fingerprint(root)),
    run(shell, commands) {
      // What a command leaves in the background belongs to it.
      const driver = `for command do timeout -k 1 10 ${shell} -c "$command\nwait" </dev/null >/dev/null 2>&1; done`;
      spawnSync("/bin/sh", ["-c", driver, "driver", ...commands], { cwd: root, env });
    },
    restore() {
      rmSync(root, { recursive: true, force: true });
      cpSync(copy, root, { recursive: true, preserveTimestamps: true });
      // The copies are new files. Git would note that in its index when it next looks.
      git("update-index", "-q", "--refresh");
      made = fingerprint(root);
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

function fingerprint(root: string): Fingerprint {
  const found = new Map<string, string>();
  const look = (relative: string) => {
    const path = join(root, relative);
    const stats = lstatSync(path);
    const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path, "latin1") : "";
    found.set(relative, `${stats.mode} ${content}`);
    if (stats.isDirectory()) for (const name of readdirSync(path)) look(join(relative, name));
  };
  look(".");
  return found;
}

function differences(before: Fingerprint, after: Fingerprint): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}
