// Writes the library's types into dist/types, from which package.json exports them, or into types/ of the directory
// that is named.
import { execFileSync } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const directory = join(resolve(root, process.argv[2] ?? "dist"), "types");
const entries = ["app/index.d.ts", "app/mailbox.d.ts"].map((name) => join(directory, name));
const compiler = join(root, "node_modules/typescript/bin/tsc");

/** Where a declaration names another file of ours: `from "./x.ts"` or `import("./x.ts")`. */
const neighbours = /(?<=(?:from |import\()")(\.{1,2}\/[^"]+)\.ts(?=")/g;

/** The file and all that it names, directly or not. */
async function reachableFrom(file, found) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name] of (await readFile(file, "utf8")).matchAll(neighbours)) {
    await reachableFrom(join(dirname(file), `${name}.d.ts`), found);
  }
  return found;
}

await rm(directory, { recursive: true, force: true });
const project = join(root, "tsconfig.declarations.json");
execFileSync(process.execPath, [compiler, "-p", project, "--outDir", directory], { stdio: "inherit" });
const needed = new Set();
for (const entry of entries) await reachableFrom(entry, needed);
for (const name of await readdir(directory, { recursive: true })) {
  const file = join(directory, name);
  if (!file.endsWith(".d.ts")) continue;
  if (!needed.has(file)) await rm(file);
  // The sources name each other as they are; a user of the package has only what was built from them.
  else await writeFile(file, (await readFile(file, "utf8")).replaceAll(neighbours, "$1.js"));
}
console.log(`${relative(root, directory)}  ${needed.size} files`);
