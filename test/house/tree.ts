import { dirname, join } from "node:path/posix";
import type { Breach } from "./rules.ts";
import { readSource, type SourceFacts } from "./source.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const maxFiles = 25;
const fewLines = 20;

/** Small files with one importer that stay on their own, and why. */
const smallAlone: Readonly<Record<string, string>> = {
  "src/harness/registry.ts": "the only file that names the folders of harnesses",
};

/** The rules that take all of src/ to judge: the size of folders, small files, and the names of exported types. */
export function checkTree(
  files: readonly SourceFile[],
  allowed: Readonly<Record<string, string>> = smallAlone,
): Breach[] {
  const facts = new Map(files.map(({ path, text }) => [path, readSource(path, text)]));
  return [...crowdedFolders(files), ...smallFiles(files, facts, allowed), ...sharedNames(facts)];
}

function crowdedFolders(files: readonly SourceFile[]): Breach[] {
  return [...groups(files.map(({ path }) => [dirname(path), path]))]
    .filter(([, paths]) => paths.length > maxFiles)
    .map(([folder, paths]) => `${folder}:1 a folder has at most ${maxFiles} files, this one ${paths.length}`);
}

/** A file without an importer is an entry point, or unused, which `npm run unused` finds. */
function smallFiles(
  files: readonly SourceFile[],
  facts: ReadonlyMap<string, SourceFacts>,
  allowed: Readonly<Record<string, string>>,
): Breach[] {
  const importers = groups(
    [...facts].flatMap(([path, { imports }]) =>
      imports.filter(({ value }) => value.startsWith(".")).map(({ value }) => [join(dirname(path), value), path]),
    ),
  );
  const breaches = files.flatMap(({ path, text }) => {
    const [importer, ...others] = new Set(importers.get(path));
    const lines = text.split("\n").length - 1;
    if (lines > fewLines || importer === undefined || others.length > 0 || allowed[path] !== undefined) return [];
    return [`${path}:1 has ${lines} lines and one importer: merge it into ${importer}`];
  });
  const paths = new Set(files.map(({ path }) => path));
  const stale = Object.keys(allowed).filter((path) => !paths.has(path));
  return [...breaches, ...stale.map((path) => `${path}:1 is on the list of small files, and is not there`)];
}

function sharedNames(facts: ReadonlyMap<string, SourceFacts>): Breach[] {
  const places = groups(
    [...facts].flatMap(([path, { types }]) => types.map(({ value, line }) => [value, `${path}:${line}`])),
  );
  return [...places].flatMap(([name, [first, ...others]]) =>
    others.map((place) => `${place} exports the type ${name}, and so does ${first}: give one another name`),
  );
}

function groups(pairs: readonly (readonly string[])[]): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const [key = "", value = ""] of pairs) grouped.set(key, [...(grouped.get(key) ?? []), value]);
  return grouped;
}
