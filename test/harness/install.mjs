// Installs the harnesses of harnesses.json, in the versions it pins, into .cache/harness, each into a directory of its
// own. They are other people's programs and no part of ours: one that cannot be had is named, and its tests are skipped.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const cache = resolve(import.meta.dirname, "../../.cache/harness");
const known = JSON.parse(readFileSync(join(import.meta.dirname, "harnesses.json"), "utf8"));
const harnesses = Object.entries(known[`${process.platform}-${process.arch}`] ?? {});
const longestMs = 180_000;

if (harnesses.length === 0) skip("real harnesses", `none are known for ${process.platform}-${process.arch}`);
await Promise.all(harnesses.filter(isMissing).map(install));

function isMissing([name, { packages }]) {
  return Object.entries(packages).some(([wanted, version]) => installedVersion(name, wanted) !== version);
}

function installedVersion(name, wanted) {
  const file = join(cache, name, "node_modules", wanted, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}

async function install([name, { title, packages }]) {
  const directory = join(cache, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
  const wanted = Object.entries(packages).map(([wantedName, version]) => `${wantedName}@${version}`);
  const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--force"];
  const npm = spawn("npm", ["install", ...flags, "--prefix", directory, ...wanted], { timeout: longestMs });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const problem = await new Promise((done) => {
    npm.once("error", (error) => done(error.message));
    npm.once("close", (code, signal) => done(code === 0 ? null : `npm ended with ${code ?? signal}:\n${output}`));
  });
  if (problem === null) console.log(`installed ${wanted.join(" ")}`);
  else skip(title, problem);
}

function skip(what, why) {
  console.log(`\nSKIPPED: tests with ${what}: ${why}\n`);
}
