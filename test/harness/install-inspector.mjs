// Installs the MCP Inspector, in the version pinned here, into .cache/inspector, and a Node that is new enough for it into
// .cache/node24. Neither is a part of ours: where they cannot be had, the test with the inspector says so and is skipped.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const cache = resolve(import.meta.dirname, "../../.cache");
const INSPECTOR = { folder: "inspector", name: "@modelcontextprotocol/inspector", version: "2.12.0", scripts: false };
const NODE = { folder: "node24", name: "node", version: "24", scripts: true };

for (const wanted of [INSPECTOR, NODE]) if (!isThere(wanted)) install(wanted);

function isThere({ folder, name, version }) {
  const file = join(cache, folder, "node_modules", name, "package.json");
  return existsSync(file) && `${JSON.parse(readFileSync(file, "utf8")).version}.`.startsWith(`${version}.`);
}

/** The package `node` fetches its program by a script of its own; no other script is needed. */
function install({ folder, name, version, scripts }) {
  const directory = join(cache, folder);
  mkdirSync(directory, { recursive: true });
  const allowScripts = scripts ? { [name]: true } : {};
  writeFileSync(join(directory, "package.json"), `${JSON.stringify({ private: true, allowScripts })}\n`);
  const flags = [...(scripts ? [] : ["--ignore-scripts"]), "--no-save", "--no-audit", "--no-fund", "--no-package-lock"];
  try {
    execFileSync("npm", ["install", ...flags, "--prefix", directory, `${name}@${version}`], {
      stdio: "inherit",
      timeout: 180_000,
    });
  } catch (error) {
    console.log(`\nSKIPPED: the test with the MCP Inspector: ${name} could not be installed: ${error.message}\n`);
  }
}
