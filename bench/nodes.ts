/** The releases of Node that start commands in a benchmark: this one, and Node 24 where `.ci/run` has installed it. */
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type Finding, skipped } from "./finding.ts";

export interface NodeProgram {
  readonly path: string;
  readonly name: string;
}

const OTHER = 24;

export function nodesHere(): { readonly nodes: readonly NodeProgram[]; readonly missing: readonly Finding[] } {
  const [major = ""] = process.versions.node.split(".");
  const own = { path: process.execPath, name: `Node ${major}` };
  if (Number(major) === OTHER) return { nodes: [own], missing: [] };
  const installed = join(import.meta.dirname, `../.cache/node${OTHER}/node_modules/.bin/node`);
  const other = { path: installed, name: `Node ${OTHER}` };
  if (existsSync(installed)) return { nodes: [own, { ...other, path: realpathSync(installed) }], missing: [] };
  console.error(`SKIPPED: commands on ${other.name}: ${installed} is missing, and .ci/run installs it`);
  return { nodes: [own], missing: [skipped(`commands on ${other.name}`, "it is not installed")] };
}
