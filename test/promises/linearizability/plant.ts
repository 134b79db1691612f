/** Plants a bug: a small change of the code under test, made while a fixture is bundled. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "esbuild";

export interface Edit {
  /** Below src/. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
}

const source = resolve(import.meta.dirname, "../../../src");

export function plant(bug: PlantedBug): Plugin {
  return {
    name: `planted: ${bug.name}`,
    setup(build) {
      for (const [path, contents] of editedFiles(bug)) {
        const filter = new RegExp(`${path.replaceAll(/[.\\+*?^$()[\]{}|]/g, "\\$&")}$`);
        build.onLoad({ filter }, () => ({ contents, loader: "ts" }));
      }
    },
  };
}

/** The files of the code under test as they are with the bug in them. */
export function editedFiles({ edits }: PlantedBug): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const edit of edits) {
    const path = join(source, edit.file);
    files.set(path, edited(files.get(path) ?? readFileSync(path, "utf8"), edit));
  }
  return files;
}

/** An edit that no longer fits the code is an error: the bug would not be planted and nobody would know. */
function edited(text: string, { file, find, replace }: Edit): string {
  const count = text.split(find).length - 1;
  if (count !== 1) throw new Error(`src/${file} has ${count} times the text to edit: ${find}`);
  return text.replace(find, () => replace);
}
