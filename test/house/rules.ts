import { builtinModules } from "node:module";
import { basename, dirname, join } from "node:path/posix";
import { type Found, readSource, type SourceFacts } from "./source.ts";

/** A breach names the place and says what is wrong there: `src/domain/x.ts:3 domain may not import store`. */
export type Breach = string;

interface LayerRule {
  /** The layers it may import. */
  readonly layers: readonly string[];
  /** Whether it may import Node's own modules, except those with a home of their own below. */
  readonly node: boolean;
  /** Whether it may import packages, except those with a home of their own below. */
  readonly packages: boolean;
}

const pure = { node: false, packages: false };
const layerRules: Readonly<Record<string, LayerRule>> = {
  domain: { layers: ["domain"], ...pure },
  ports: { layers: ["domain", "ports"], ...pure },
  service: { layers: ["domain", "ports", "service"], ...pure },
  store: { layers: ["domain", "ports", "store"], node: true, packages: false },
  system: { layers: ["domain", "ports", "system"], node: true, packages: false },
  harness: { layers: ["domain", "ports", "system", "harness"], node: true, packages: false },
  surfaces: { layers: ["service", "domain", "ports", "harness", "surfaces"], node: true, packages: true },
  main: {
    layers: ["domain", "ports", "store", "service", "system", "harness", "surfaces", "main"],
    node: true,
    packages: true,
  },
};

/** Modules and names with a home: the folders of src/ where they may appear, and nowhere else. */
const moduleHomes: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["store/sqlite"],
  "@photostructure/sqlite": ["store/sqlite"],
  postgres: ["store/postgres"],
  "jsonc-parser": ["harness/config"],
  "toml-eslint-parser": ["harness/config"],
  "node:child_process": ["system"],
  "node:crypto": ["system"],
  "node:perf_hooks": ["system"],
  "node:process": ["system", "main"],
  "node:fs": ["system", "store/sqlite"],
  "node:fs/promises": ["system", "store/sqlite"],
};
const nameHomes: Readonly<Record<string, readonly string[]>> = {
  // domain/time.ts formats given times; it reads no clock.
  Date: ["system", "domain/time.ts"],
  performance: ["system"],
  crypto: ["system"],
  "Math.random": ["system"],
  "process.hrtime": ["system"],
  "process.env": ["system", "main"],
};
const sqlHome = "store";
const sql =
  /\b(SELECT |INSERT INTO\b|UPDATE \S+ SET\b|DELETE FROM\b|BEGIN (IMMEDIATE|EXCLUSIVE|DEFERRED)\b)|^\s*BEGIN\b/;

const vagueNames = /^(utils?|helpers?|common|types?)$/;
const maxLines = 400;

/** The rules for every TypeScript file of the project; `path` is relative to its root. */
export function checkFile(path: string, text: string): Breach[] {
  const breaches: Breach[] = [];
  const lines = text.split("\n").length - 1;
  if (lines > maxLines) breaches.push(`${path}:${maxLines + 1} a file ends by line ${maxLines}, this one at ${lines}`);
  const vague = path.split("/").find((part) => vagueNames.test(part.replace(/\..*$/, "")));
  if (vague !== undefined) breaches.push(`${path}:1 the name "${vague}" does not say what is inside`);
  return breaches;
}

/** The rules for src/: the arrows between layers, the homes of modules, names and SQL, and how to export. */
export function checkSource(path: string, text: string): Breach[] {
  const inside = path.replace(/^src\//, "");
  const layer = inside.split("/")[0] ?? "";
  if (layerRules[layer] === undefined || !inside.includes("/")) {
    return path.endsWith(".d.ts") ? [] : [`${path}:1 belongs to no layer`];
  }
  const facts = readSource(path, text);
  const at = ({ line }: Found, what: string) => `${path}:${line} ${what}`;
  return [
    ...facts.imports.flatMap((found) => importBreach(path, layer, found.value).map((what) => at(found, what))),
    ...homelessModules(inside, facts).map((found) => at(found, `${found.value} ${homeOf(moduleHomes, found.value)}`)),
    ...facts.names
      .filter(({ value }) => isAwayFromHome(nameHomes, value, inside))
      .map((found) => at(found, `${found.value} ${homeOf(nameHomes, found.value)}`)),
    ...facts.texts
      .filter(({ value }) => sql.test(value) && !isUnder(inside, sqlHome))
      .map((found) => at(found, `SQL belongs in src/${sqlHome}`)),
    ...facts.exports.map((found) => at(found, `export ${found.value}: only named exports`)),
  ];
}

function importBreach(path: string, layer: string, specifier: string): string[] {
  const rule = layerRules[layer];
  if (rule === undefined) return [];
  if (specifier.startsWith(".")) {
    const target = join(dirname(path), specifier);
    const [top, targetLayer = ""] = target.split("/");
    if (["package.json", "skills/talking-stick/SKILL.md"].includes(target) && layer === "main") return [];
    if (top !== "src") return [`imports ${specifier}, which is outside src`];
    if (!/\.(ts|sql|sh|json)$/.test(basename(specifier))) return [`imports ${specifier} without its extension`];
    return rule.layers.includes(targetLayer) ? [] : [`${layer} may not import ${targetLayer} (${specifier})`];
  }
  if (moduleHomes[moduleName(specifier)] !== undefined) return [];
  if (isBuiltin(specifier))
    return rule.node ? [] : [`${layer} may not import ${specifier}: it does no input or output`];
  return rule.packages ? [] : [`${layer} may not import the package ${specifier}`];
}

/** Modules with a home, away from it. A text such as "node:fs" counts too, whichever function loads it. */
function homelessModules(inside: string, facts: SourceFacts): Found[] {
  const imports = facts.imports.map(({ value, line }) => ({ value: moduleName(value), line }));
  const known = new Set(imports.map(({ value, line }) => `${value}:${line}`));
  const texts = facts.texts.filter(({ value, line }) => value.startsWith("node:") && !known.has(`${value}:${line}`));
  return [...imports, ...texts].filter(({ value }) => isAwayFromHome(moduleHomes, value, inside));
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

/** Node's own modules by their full name, so that "fs" is no way around "node:fs". */
function moduleName(specifier: string): string {
  return builtinModules.includes(specifier) ? `node:${specifier.replace(/^node:/, "")}` : specifier;
}

function isUnder(inside: string, folder: string): boolean {
  return inside === folder || inside.startsWith(`${folder}/`);
}

type Homes = Readonly<Record<string, readonly string[]>>;

function isAwayFromHome(homes: Homes, name: string, inside: string): boolean {
  return Object.hasOwn(homes, name) && !homes[name]?.some((home) => isUnder(inside, home));
}

function homeOf(homes: Homes, name: string): string {
  return `belongs in ${homes[name]?.map((home) => `src/${home}`).join(" or ")}`;
}
