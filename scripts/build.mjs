// Builds the bundles of the table below into dist/, or into the directory that is named. One row per file that ships.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The files of a harness's folder that most programs have no use for. Each exports what it is called by. */
const HARNESS_PARTS = ["hooks", "setup", "transcript", "inbox", "prove"];
/** What a program uses unless its row says otherwise. */
const USUAL_PARTS = ["transcript", "inbox"];

/**
 * `parts` are those of HARNESS_PARTS that a bundle carries: in the others they are undefined.
 * A `lazy` bundle is loaded by the others with `import("…/its entry.ts")`, at the moment it is needed:
 * the start of `tt` must not pay for code that most commands never run.
 * One that `loadsModules` loads others with import(): Ink and what it needs await while they load.
 */
const bundles = [
  { entry: "src/app/tt.ts", outfile: "program.cjs", wrapped: true },
  { entry: "src/app/fast-commands.ts", outfile: "everyday.cjs", wrapped: true },
  { entry: "src/app/hook.ts", outfile: "hook-program.cjs", wrapped: true, parts: ["hooks"] },
  { entry: "src/app/launch.ts", outfile: "tt.cjs", executable: true },
  { entry: "src/app/launch-hook.ts", outfile: "hook.cjs" },
  { entry: "src/app/index.ts", outfile: "index.js" },
  { entry: "src/app/mailbox.ts", outfile: "mailbox.js" },
  { entry: "src/store/postgres/open.ts", outfile: "postgres.cjs", lazy: true },
  { entry: "src/store/memory/store.ts", outfile: "memory.cjs", lazy: true },
  { entry: "src/store/sqlite/migrations.ts", outfile: "migrations.cjs", lazy: true },
  { entry: "src/platform/code/keep-code.ts", outfile: "keep-code.cjs", lazy: true },
  { entry: "src/harness/terminal-wake.ts", outfile: "terminals.cjs", lazy: true },
  { entry: "src/platform/git/record/turn-record.ts", outfile: "record.cjs", lazy: true },
  { entry: "src/platform/git/record/later-work.ts", outfile: "record-later.cjs" },
  { entry: "src/platform/process/notifier.ts", outfile: "notifier.cjs", lazy: true },
  { entry: "src/guard/rules/shell/shell-effect.ts", outfile: "shell-effect.cjs", lazy: true },
  { entry: "src/app/mcp.ts", outfile: "mcp.cjs", lazy: true },
  { entry: "src/app/console/console-program.ts", outfile: "console.mjs", lazy: true },
  { entry: "src/app/console/load-console.ts", outfile: "load-console.cjs", lazy: true, loadsModules: true },
  { entry: "src/app/page/ui-program.ts", outfile: "ui.cjs", lazy: true },
  { entry: "src/app/install.ts", outfile: "install.cjs", lazy: true, parts: ["hooks", "setup"] },
  { entry: "src/app/git-layer.ts", outfile: "git-layer.cjs", lazy: true, parts: ["hooks"] },
  { entry: "src/app/page/recorder.ts", outfile: "recorder.cjs", lazy: true },
  { entry: "src/app/prove.ts", outfile: "prove.cjs", lazy: true, parts: ["setup", "prove", ...USUAL_PARTS] },
  ...plugins(),
];

/** What runs inside a harness: the folder plugin/ of that harness. */
function plugins() {
  const names = readdirSync(join(root, "src/harness"), { withFileTypes: true }).filter((file) => file.isDirectory());
  return names
    .map(({ name }) => ({ entry: `src/harness/${name}/plugin/index.ts`, outfile: `${name}-plugin.js` }))
    .filter(({ entry }) => existsSync(join(root, entry)));
}

/** Stays a package: it holds native code, and only a Node without node:sqlite loads it. */
const external = ["@photostructure/sqlite"];

const directory = resolve(root, process.argv[2] ?? "dist");

/** Strictness must come first. */
const commonJsBanner = '"use strict";';

/** What Node puts around a CommonJS file. The launcher compiles the program itself and would have to copy it to add this. */
const wrapping = { banner: "(function(exports,require,module,__filename,__dirname){", footer: "})" };

/** Turns a dynamic import of a lazy entry into a load of the bundle built from it. */
const lazyBundles = {
  name: "lazy-bundles",
  setup(plugin) {
    plugin.onResolve({ filter: /^\.{1,2}\// }, (args) => {
      if (args.kind !== "dynamic-import") return undefined;
      const target = relative(root, join(args.resolveDir, args.path));
      const lazy = bundles.find((row) => row.lazy && row.entry === target);
      return lazy && { path: `./${lazy.outfile}`, external: true };
    });
  },
};

/** A definition of an operation or of a command, up to the line that ends it. */
const DEFINITION =
  /(?<=^(?:export )?const \w+ = )(?:operation|form)\(\{$[^]*?^\}\)(?=;$)|(?<=^export const \w+ = )\w+Form\(.*\)(?=;$)/gm;

/** To define is to make a value and nothing else, so a bundle leaves out the definitions that it does not use. */
const pureDefinitions = {
  name: "pure-definitions",
  setup(plugin) {
    plugin.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replace(DEFINITION, "/* @__PURE__ */ (() => $&)()"), loader: "ts" };
    });
  },
};

/**
 * The MCP SDK brings a validator of JSON schemas for questions that a server asks its client's user. Ours asks none,
 * and without it the server starts some milliseconds earlier.
 */
const noSchemaValidator = {
  name: "no-schema-validator",
  setup(plugin) {
    plugin.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: join(root, "src/app/mcp-sdk-shims.ts"),
    }));
  },
};

/**
 * Ink draws nothing that changes where the variable CI is set, and loads developer tools on demand. A person who opens
 * the console is there to see it, and has no use for the tools.
 */
const inkForPeople = {
  name: "ink-for-people",
  setup(plugin) {
    const contents = new Map([
      ["is-in-ci", "export default false;"],
      ["react-devtools-core", "export default {};"],
      ["ws", "export default {};"],
    ]);
    plugin.onResolve({ filter: /^(is-in-ci|react-devtools-core|ws)$/ }, ({ path }) => ({
      path,
      namespace: "replaced",
    }));
    plugin.onLoad({ filter: /.*/, namespace: "replaced" }, ({ path }) => ({ contents: contents.get(path) }));
  },
};

/** Keeps out of a bundle what it has no use for in the folders of harnesses. */
function onlyParts(parts) {
  const others = HARNESS_PARTS.filter((part) => !parts.includes(part));
  return {
    name: "only-parts",
    setup(plugin) {
      plugin.onLoad({ filter: new RegExp(`/src/harness/[^/]+/(${others.join("|")})\\.ts$`) }, ({ path }) => ({
        contents: `export const ${basename(path, ".ts")} = undefined;`,
      }));
    },
  };
}

async function requireEntries() {
  const found = await Promise.all(
    bundles.map(({ entry }) =>
      stat(join(root, entry)).then(
        () => true,
        () => false,
      ),
    ),
  );
  const missing = bundles.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  for (const { entry, outfile } of missing) console.error(`build: entry ${entry} of ${outfile} does not exist`);
  process.exit(1);
}

/** CommonJS has no import.meta.url. The launchers know by its digest which program they load. */
async function definitions() {
  const digests = {};
  for (const { outfile } of bundles.filter(({ wrapped }) => wrapped)) {
    const program = await readFile(join(directory, outfile)).catch(() => "");
    digests[outfile] = createHash("sha256").update(program).digest("hex").slice(0, 16);
  }
  return { "import.meta.url": "__filename", PROGRAM_DIGESTS: JSON.stringify(digests) };
}

/** Strings are escaped by now; what is left stands in regular expressions, which are passed on as they were written. */
async function escapeRest(file) {
  const text = await readFile(file, "utf8");
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  await writeFile(file, escaped);
}

/** Packages inside of a module may still call require(). */
const moduleBanner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Ink's layout engine would read its own bytes by fetch(). To load that takes Node 25 ms; without it they are decoded. */
const withoutFetch = { fetch: "undefined" };

async function bundle(row) {
  const { entry, outfile, executable = false, wrapped = false, loadsModules = false, parts = USUAL_PARTS } = row;
  const commonJs = extname(outfile) === ".cjs";
  const isProgram = commonJs || extname(outfile) === ".mjs";
  const lines = [
    executable && "#!/usr/bin/env node",
    wrapped && wrapping.banner,
    commonJs && commonJsBanner,
    isProgram && !commonJs && moduleBanner,
  ];
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(directory, outfile),
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: commonJs ? "cjs" : "esm",
    minify: isProgram,
    legalComments: "none",
    // The launcher reads the program as Latin-1.
    charset: "ascii",
    loader: { ".sql": "text", ".sh": "text", ".md": "text" },
    external,
    // Its other form loads its parts in a way that a bundle cannot follow.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    plugins: [lazyBundles, noSchemaValidator, inkForPeople, onlyParts(parts), pureDefinitions],
    banner: { js: lines.filter(Boolean).join("\n") },
    footer: { js: wrapped ? wrapping.footer : "" },
    // require() starts faster than import() and resolves beside the bundle.
    ...(commonJs && !loadsModules && { supported: { "dynamic-import": false } }),
    define: commonJs ? await definitions() : { "process.env.NODE_ENV": '"production"', ...(isProgram && withoutFetch) },
    logLevel: "warning",
  });
  if (commonJs) await escapeRest(join(directory, outfile));
  if (executable) await chmod(join(directory, outfile), 0o755);
  const { size } = await stat(join(directory, outfile));
  console.log(`${relative(root, join(directory, outfile))}  ${(size / 1024).toFixed(1)} KB`);
}

/** What a browser runs and shows: files that the server of the page reads, and of which a recording is made. */
async function bundlePage() {
  const source = join(root, "src/surfaces/page");
  const place = join(directory, "page");
  await build({
    absWorkingDir: root,
    entryPoints: { page: "src/surfaces/page/index.tsx" },
    outdir: place,
    bundle: true,
    platform: "browser",
    target: ["chrome111", "firefox115", "safari16.4"],
    format: "iife",
    jsx: "automatic",
    minify: true,
    legalComments: "none",
    charset: "ascii",
    tsconfig: join(source, "tsconfig.json"),
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
  for (const file of ["index.html", "icon.svg"]) await copyFile(join(source, file), join(place, file));
  const sizes = await Promise.all(["page.js", "page.css"].map(async (name) => (await stat(join(place, name))).size));
  console.log(`${relative(root, place)}  ${sizes.map((size) => `${(size / 1024).toFixed(1)} KB`).join(" + ")}`);
}

await requireEntries();
await rm(directory, { recursive: true, force: true });
await mkdir(directory, { recursive: true });
for (const row of bundles) await bundle(row);
await bundlePage();
// The manual is made of the commands that were just built.
await writeFile(join(directory, "tt.1"), execFileSync(process.execPath, [join(directory, "tt.cjs"), "man-page"]));
