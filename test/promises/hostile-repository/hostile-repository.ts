/**
 * A repository with everything that git looks into: a submodule, a repository inside of the tree that is none, an embedded
 * one without a `.git`, and a second working tree. Each has a configuration of its own, attributes that choose a filter,
 * hooks, and a changed file, without which git would have nothing to compare.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, makeRepository } from "../../support/git-repository.ts";
import type { Canaries } from "./canary.ts";
import { ATTRIBUTES } from "./config-keys.ts";

/** A place with a configuration of its own. */
export interface HostilePlace {
  readonly name: string;
  /** Where a room may be. */
  readonly path: string;
  readonly config: string;
  readonly harmless: string;
}

export class HostileRepository {
  readonly top: string;
  readonly places: readonly HostilePlace[];

  constructor(root: string, canaries: Canaries) {
    this.top = makeRepository(join(root, "app"));
    const sub = makeHostilePart(join(root, "sub-origin"));
    const app = this.top;
    writeFileSync(join(app, ".gitattributes"), ATTRIBUTES);
    git(app, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "sub");
    appendFileSync(join(app, ".gitmodules"), `\tupdate = !${canaries.program(".gitmodules update")}\n`);
    const inner = embed(join(app, "docs/inner"), root);
    git(app, "add", ".gitattributes", ".gitmodules", "docs");
    git(app, "commit", "--quiet", "--message=second");
    makeHostilePart(join(app, "nested"));
    git(app, "config", "core.repositoryFormatVersion", "1");
    git(app, "config", "extensions.worktreeConfig", "true");
    git(app, "remote", "add", "origin", sub);
    git(app, "worktree", "add", "--quiet", join(root, "side"));
    this.places = [
      place("the top level", app, join(app, ".git/config")),
      place("a submodule", join(app, "sub"), join(app, ".git/modules/sub/config")),
      place("a nested repository", join(app, "nested"), join(app, "nested/.git/config")),
      place("a linked working tree", join(root, "side"), join(app, ".git/worktrees/side/config.worktree")),
      place("an embedded repository", inner, join(inner, "config")),
    ];
    for (const { name, path } of this.places) {
      const tree = path === inner ? join(inner, "wt") : path;
      writeFileSync(join(tree, "first.txt"), "two\n");
      writeFileSync(join(tree, "new.txt"), "new\n");
      canaries.hooks(
        join(git(path, "rev-parse", "--git-dir").replace(/^(?!\/)/, `${path}/`), "hooks"),
        `hook of ${name}`,
      );
    }
    for (const gitDir of [join(app, ".git"), join(app, "nested/.git"), join(app, ".git/modules/sub")]) {
      mkdirSync(join(gitDir, "info"), { recursive: true });
      writeFileSync(join(gitDir, "info/attributes"), ATTRIBUTES);
    }
  }

  /** Puts the settings into the configurations of these places, and takes those of before away. */
  configure(text: string, places: readonly HostilePlace[] = this.places): void {
    for (const { config, harmless } of this.places) writeFileSync(config, harmless);
    for (const { config } of places) appendFileSync(config, text);
  }
}

function place(name: string, path: string, config: string): HostilePlace {
  appendFileSync(config, "");
  return { name, path, config, harmless: readFileSync(config, "utf8") };
}

function makeHostilePart(path: string): string {
  makeRepository(path);
  writeFileSync(join(path, ".gitattributes"), ATTRIBUTES);
  git(path, "add", ".");
  git(path, "commit", "--quiet", "--message=attributes");
  return path;
}

/** The parts of a git directory lie open in a directory, which any clone carries along. */
export function embed(path: string, root: string): string {
  const source = makeHostilePart(join(root, "inner-source"));
  git(root, "clone", "--quiet", "--bare", source, path);
  // A clone carries no empty directories.
  git(path, "update-ref", "refs/heads/loose", "HEAD");
  mkdirSync(join(path, "wt"));
  git(path, "config", "core.bare", "false");
  git(path, "config", "core.worktree", "wt");
  git(path, "checkout", "--quiet", "--force");
  return path;
}
