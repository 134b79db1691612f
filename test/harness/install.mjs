// Installs the harnesses of harnesses.json, in the versions it pins, into .cache/harness. They are other people's
// programs and no part of ours: where they cannot be had, the tests with real harnesses say so and are skipped.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const directory = resolve(import.meta.dirname, "../../.cache/harness");
const known = JSON.parse(readFileSync(join(import.meta.dirname, "harnesses.json"), "utf8"));
const harnesses = Object.values(known[`${process.platform}-${process.arch}`] ?? {});

const missing = harnesses.filter((harness) => installedVersion(harness) !== harness.version);
if (harnesses.length === 0) skip(`none are known for ${process.platform}-${process.arch}`);
else if (missing.length > 0) install(missing);

function installedVersion({ package: name }) {
  const file = join(directory, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}

function install(wanted) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
  const packages = harnesses.map(({ package: name, version }) => `${name}@${version}`);
  const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--force"];
  try {
    execFileSync("npm", ["install", ...flags, "--prefix", directory, ...packages], {
      stdio: "inherit",
      timeout: 180_000,
    });
  } catch (error) {
    skip(`${wanted.map(({ package: name }) => name).join(", ")} could not be installed: ${error.message}`);
  }
}

function skip(why) {
  console.log(`\nSKIPPED: tests with real harnesses: ${why}\n`);
}
