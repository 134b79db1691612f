/** The programs that manage a project's hooks, from .cache/git-hooks, where install-hook-managers.mjs puts them. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { GitWorld } from "./git-world.ts";
import { writeProgram } from "./git-world.ts";

const modules = resolve(import.meta.dirname, "../../../.cache/git-hooks/node_modules");
const SAYS = "echo the project\\'s own pre-commit >&2";

interface HookManager {
  /** With a hook before each commit that says something. May be called again. */
  setUp(world: GitWorld): void;
}

/** Null if it is not there, and says so: a silent gap looks like a pass. */
export function hookManager(name: "husky" | "lefthook"): HookManager | null {
  if (existsSync(join(modules, name))) return { husky, lefthook }[name];
  process.stderr.write(`SKIPPED: git's hooks beside ${name}, which is not in .cache/git-hooks\n`);
  return null;
}

const husky: HookManager = {
  setUp(world) {
    writeProgram(join(world.tree, ".husky/pre-commit"), `${SAYS}\n`);
    world.must(`${process.execPath} ${join(modules, "husky/bin.js")}`);
  },
};

const lefthook: HookManager = {
  setUp(world) {
    const config = `pre-commit:\n  commands:\n    say:\n      run: ${SAYS}\n`;
    writeFileSync(join(world.tree, "lefthook.yml"), config);
    mkdirSync(join(world.tree, "node_modules"), { recursive: true });
    for (const name of ["lefthook", `lefthook-${process.platform}-${process.arch}`]) {
      const place = join(world.tree, "node_modules", name);
      if (!existsSync(place)) symlinkSync(join(modules, name), place);
    }
    world.must(`${process.execPath} node_modules/lefthook/bin/index.js install --force`);
  },
};
