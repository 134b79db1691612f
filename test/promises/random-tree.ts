/** Random working trees with everything that git, attributes and file systems make of files. */
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git } from "../support/git-repository.ts";
import type { SeededRandom } from "../support/random.ts";

const NAMES = [
  "a",
  "B",
  "ä",
  "with space",
  "line\nbreak",
  "-dash",
  '"quoted"',
  "\\back",
  "\x01",
  "no-text-\xff\xfe",
  "x:y",
];
const CONTENTS = ["", "\n", "one\n", "crlf\r\n", "mixed\r\n\n$Id$\n", "\0binary\xff", "no end", "<<<<<<< a\n=======\n"];
const ATTRIBUTES = ["* text=auto", "* text eol=crlf", "* ident", "*.txt filter=x", "* working-tree-encoding=UTF-16LE"];
const SETTINGS = [
  "core.autocrlf=true",
  "core.safecrlf=true",
  "core.filemode=false",
  "core.symlinks=false",
  "core.ignorecase=true",
];

export class RandomTree {
  readonly top: string;
  readonly #random: SeededRandom;

  constructor(top: string, random: SeededRandom) {
    this.top = top;
    this.#random = random;
    mkdirSync(top, { recursive: true });
    const format = random.chance(0.1) ? "sha256" : "sha1";
    git(top, "init", "--quiet", "--initial-branch=main", `--object-format=${format}`);
    this.change(random.between(0, 12));
    if (random.chance(0.5)) this.#put(".gitattributes", `${random.pick(ATTRIBUTES)}\n`);
    if (random.chance(0.5)) this.#put(".gitignore", "*.log\nbuild/\n");
    if (random.chance(0.8)) this.#commit();
    for (const setting of SETTINGS) if (random.chance(0.1)) git(top, "config", ...setting.split("="));
    this.#put("noise.log", "ignored unless there is no rule\n");
    this.change(random.between(0, 8));
    if (random.chance(0.3)) this.#quietly("add", "--all");
    if (random.chance(0.2)) this.#quietly("checkout", "--quiet", "--detach");
    if (random.chance(0.1)) this.#quietly("update-index", "--split-index");
  }

  /** Writes, replaces, deletes and turns files into directories or links. */
  change(times: number): void {
    for (let count = 0; count < times; count += 1) {
      const name = this.#name();
      const path = this.#path(name);
      this.#clear(name);
      const random = this.#random;
      const content = `${random.pick(CONTENTS)}${random.chance(0.3) ? random.between(0, 99) : ""}`;
      if (random.chance(0.15)) continue;
      mkdirSync(this.#path(dirname(name)), { recursive: true });
      if (random.chance(0.15)) symlinkSync(Buffer.from(random.pick(NAMES), "latin1"), path);
      else {
        writeFileSync(path, Buffer.from(content, "latin1"));
        chmodSync(path, random.chance(0.2) ? 0o755 : 0o644);
      }
    }
  }

  #name(): string {
    const depth = this.#random.between(1, 3);
    return Array.from({ length: depth }, () => this.#random.pick(NAMES)).join("/");
  }

  #path(name: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.top}/`), Buffer.from(name, "latin1")]);
  }

  /** Removes what is there, and what stands in the way above it. */
  #clear(name: string): void {
    const parts = name.split("/");
    for (let count = 1; count <= parts.length; count += 1) {
      const path = this.#path(parts.slice(0, count).join("/"));
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats && (count === parts.length || !stats.isDirectory())) rmSync(path, { recursive: true });
    }
  }

  #put(name: string, text: string): void {
    writeFileSync(join(this.top, name), text);
  }

  #commit(): void {
    this.#quietly("add", "--all");
    this.#quietly("commit", "--quiet", "--allow-empty", "--message=first");
    if (this.#random.chance(0.3)) this.#quietly("gc", "--quiet");
  }

  /** Some trees are not to git's liking, such as one whose encoding does not fit. */
  #quietly(...args: string[]): void {
    try {
      git(this.top, ...args);
    } catch {
      // Then the repository is as it is.
    }
  }
}
