/** Programs that leave a mark when they are run. Each says by which name it was meant to be started. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Every hook that git knows. */
const HOOKS = [
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg",
  "post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update",
  "reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman",
  "p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change",
].flatMap((line) => line.split(" "));

export class Canaries {
  readonly #directory: string;
  readonly #mark: string;
  #count = 0;

  constructor(root: string) {
    this.#directory = join(root, "canaries");
    this.#mark = join(root, "was-run");
    mkdirSync(this.#directory);
  }

  /** A program that says `name`. As a filter it changes nothing. */
  program(name: string): string {
    this.#count += 1;
    const path = join(this.#directory, `canary-${this.#count}`);
    this.put(path, name);
    return path;
  }

  put(path: string, name: string): void {
    const lines = ["#!/bin/sh", `echo '${name.replaceAll("'", "")}' >>'${this.#mark}'`, "exec /bin/cat", ""];
    writeFileSync(path, lines.join("\n"));
    chmodSync(path, 0o755);
  }

  /** All hooks in a directory. */
  hooks(directory: string, name: string): string {
    mkdirSync(directory, { recursive: true });
    for (const hook of HOOKS) this.put(join(directory, hook), `${name} ${hook}`);
    return directory;
  }

  /** Which were run since the last time. */
  take(): readonly string[] {
    if (!existsSync(this.#mark)) return [];
    const names = readFileSync(this.#mark, "utf8").split("\n").slice(0, -1);
    rmSync(this.#mark);
    return [...new Set(names)];
  }
}
