// Installs the programs that manage a project's hooks into .cache/git-hooks. They are other people's programs and no part
// of ours: if they cannot be had, that is said, and their tests are skipped.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const cache = resolve(import.meta.dirname, "../../../.cache/git-hooks");
const packages = { husky: "9.1.7", lefthook: "2.2.2" };
const longestMs = 180_000;

const missing = Object.entries(packages).filter(([name, version]) => installedVersion(name) !== version);
if (missing.length > 0) install();

function installedVersion(name) {
  const file = join(cache, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}

function install() {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--no-package-lock"];
  const words = ["install", ...flags, "--prefix", cache, ...wanted];
  const { status, stdout, stderr, error } = spawnSync("npm", words, { encoding: "utf8", timeout: longestMs });
  if (status === 0) console.log(`installed ${wanted.join(" ")}`);
  else console.log(`\nSKIPPED: tests beside ${wanted.join(" and ")}: ${error?.message ?? `${stdout}${stderr}`}\n`);
}
