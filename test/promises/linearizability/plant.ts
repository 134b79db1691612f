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

export function plant({ name, edits }: PlantedBug): Plugin {
  return {
    name: `planted: ${name}`,
    setup(build) {
      for (const file of new Set(edits.map((edit) => edit.file))) {
        const path = join(source, file);
        const contents = edits.filter((edit) => edit.file === file).reduce(edited, readFileSync(path, "utf8"));
        const filter = new RegExp(`${path.replaceAll(/[.\\+*?^$()[\]{}|]/g, "\\$&")}$`);
        build.onLoad({ filter }, () => ({ contents, loader: "ts" }));
      }
    },
  };
}

/** An edit that no longer fits the code is an error: the bug would not be planted and nobody would know. */
function edited(text: string, { file, find, replace }: Edit): string {
  const count = text.split(find).length - 1;
  if (count !== 1) throw new Error(`src/${file} has ${count} times the text to edit: ${find}`);
  return text.replace(find, () => replace);
}
