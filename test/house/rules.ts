import { builtinModules } from "node:module";
import { basename, dirname, join } from "node:path/posix";
import { type Found, readSource, type SourceFacts } from "./source.ts";

/** A breach names the place and says what is wrong there: `src/core/x.ts:3 core may not import store`. */
export type Breach = string;

/** What a layer may import besides the layers named here: Node's modules and packages, except those with a home below. */
interface LayerRule {
  readonly layers: readonly string[];
  readonly node: boolean;
  readonly packages: boolean;
}

/** Each feature imports only those before it. */
const features = ["engine", "session", "room", "mail", "stick", "turns", "wake", "hooks", "guard", "peers"] as const;
/** The features with pure rules. Rules import core and the rules of the features before them. */
const withRules = [
  "session",
  "room",
  "mail",
  "stick",
  "turns",
  "wake",
  "hooks",
  "guard",
  "peers",
  "install",
  "prove",
] as const;
const allRules = withRules.map((feature) => `${feature}/rules`);
/** Parts of the surfaces that a browser runs, too. */
const drawn = ["surfaces/words", "surfaces/picture", "surfaces/wire"] as const;
const pure = { node: false, packages: false };
const adapter = { node: true, packages: false };

const layerRules: Readonly<Record<string, LayerRule>> = {
  core: { layers: ["core"], ...pure },
  ...Object.fromEntries(
    withRules.map((feature, index) => [
      `${feature}/rules`,
      { layers: ["core", ...allRules.slice(0, index + 1)], ...pure },
    ]),
  ),
  ...Object.fromEntries(
    features.map((feature, index) => [
      feature,
      { layers: ["core", ...allRules, "engine/ports", ...features.slice(0, index + 1)], ...pure },
    ]),
  ),
  "engine/ports": { layers: ["core", ...allRules, "engine/ports"], ...pure },
  install: { layers: ["core", ...allRules, "engine/ports", "install"], ...pure },
  "install/formats": { layers: ["core", "install/rules", "install/formats"], node: false, packages: true },
  store: { layers: ["core", ...allRules, "engine/ports", "store"], ...adapter },
  platform: { layers: ["core", ...allRules, "engine/ports", "platform"], ...adapter },
  harness: {
    layers: ["core", ...allRules, "engine/ports", "platform", "harness"],
    ...adapter,
  },
  // Pure words and pictures, which the console draws in Node and the page in a browser.
  "surfaces/words": { layers: ["core", "surfaces/words"], ...pure },
  "surfaces/picture": { layers: ["core", ...allRules, ...drawn.slice(0, 2)], ...pure },
  // What the server of the page sends, as types.
  "surfaces/wire": { layers: ["core", ...allRules, ...features, "surfaces/wire"], ...pure },
  "surfaces/page": { layers: ["core", ...allRules, ...drawn, "surfaces/page"], node: false, packages: true },
  surfaces: {
    layers: ["core", ...allRules, "engine/ports", ...features, "install", "harness", "surfaces", ...drawn],
    node: true,
    packages: true,
  },
  app: {
    layers: [
      "core",
      ...allRules,
      "engine/ports",
      ...features,
      "install",
      "install/formats",
      "store",
      "platform",
      "harness",
      "surfaces",
      ...drawn,
      "app",
    ],
    node: true,
    packages: true,
  },
};

/** Modules and names with a home: the folders of src/ where they may appear, and nowhere else. */
const moduleHomes: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["store/sqlite"],
  "@photostructure/sqlite": ["store/sqlite"],
  postgres: ["store/postgres"],
  "jsonc-parser": ["install/formats"],
  "toml-eslint-parser": ["install/formats"],
  unbash: ["guard/rules/shell"],
  "node:child_process": ["platform"],
  "node:crypto": ["platform"],
  "node:perf_hooks": ["platform"],
  "node:process": ["platform", "app"],
  "node:fs": ["platform", "store/sqlite"],
  "node:fs/promises": ["platform", "store/sqlite"],
};
const nameHomes: Readonly<Record<string, readonly string[]>> = {
  // core/time.ts formats given times; it reads no clock.
  Date: ["platform", "core/time.ts", "surfaces/page/browser.ts"],
  performance: ["platform", "surfaces/page/browser.ts"],
  crypto: ["platform", "surfaces/page/browser.ts"],
  "Math.random": ["platform"],
  "process.hrtime": ["platform"],
  // A plugin is an entry point in the process of its harness.
  "process.env": ["platform", "app", "harness/*/plugin"],
};
/** A harness may keep its sessions in a database of its own, which we read. */
const sqlHomes = ["store", "harness/*/database.ts"];
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
  const layer = layerOf(inside);
  if (layer === null) {
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
      .filter(({ value }) => sql.test(value) && !sqlHomes.some((home) => isUnder(inside, home)))
      .map((found) => at(found, `SQL belongs in src/${sqlHomes[0]}`)),
    ...facts.exports.map((found) => at(found, `export ${found.value}: only named exports`)),
  ];
}

/** The layer of a file, by its first two folders or by its first; null outside of every layer. */
function layerOf(inside: string): string | null {
  const folders = inside.split("/").slice(0, -1);
  const [first = "", second = ""] = folders;
  return [`${first}/${second}`, first].find((layer) => layerRules[layer] !== undefined) ?? null;
}

function importBreach(path: string, layer: string, specifier: string): string[] {
  const rule = layerRules[layer];
  if (rule === undefined) return [];
  if (specifier.startsWith(".")) {
    const target = join(dirname(path), specifier);
    const [top] = target.split("/");
    const targetLayer = layerOf(target.replace(/^src\//, "")) ?? target;
    if (["package.json", "skills/talking-stick/SKILL.md"].includes(target) && layer === "app") return [];
    if (top !== "src") return [`imports ${specifier}, which is outside src`];
    const harness = /^src\/harness\/[^/]+\//.exec(target)?.[0];
    if (harness !== undefined && !path.startsWith(harness) && path !== "src/harness/registry.ts") {
      return [`imports ${specifier}: only src/harness/registry.ts names the folder of a harness`];
    }
    if (!/\.(tsx?|css|sql|sh|json)$/.test(basename(specifier))) return [`imports ${specifier} without its extension`];
    const isAllowed = rule.layers.includes(targetLayer);
    return isAllowed ? [] : [`${layer} may not import ${targetLayer} (${specifier})`];
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

/** A part of the folder's name may be `*`. */
function isUnder(inside: string, folder: string): boolean {
  const parts = inside.split("/");
  return folder.split("/").every((part, index) => part === "*" || part === parts[index]);
}

type Homes = Readonly<Record<string, readonly string[]>>;

function isAwayFromHome(homes: Homes, name: string, inside: string): boolean {
  return Object.hasOwn(homes, name) && !homes[name]?.some((home) => isUnder(inside, home));
}

function homeOf(homes: Homes, name: string): string {
  return `belongs in ${homes[name]?.map((home) => `src/${home}`).join(" or ")}`;
}
