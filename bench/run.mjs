// Bundles one of the programs here and runs it: `npm run bench -- --help` and `npm run scale -- --help` list their options.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const [entry, ...args] = process.argv.slice(2);
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** In a bundle import.meta means the bundle. Here every file keeps its own place, to find its neighbours. */
const places = { "import.meta.url": "fileUrl", "import.meta.dirname": "fileDirectory" };
const keepPlaces = {
  name: "keep-places",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      const directory = JSON.stringify(dirname(path));
      const contents = `const fileUrl = ${url}, fileDirectory = ${directory};${readFileSync(path, "utf8")}`;
      return { loader: "ts", contents };
    });
  },
};

// Inside the project, so that the packages it does not carry along are found.
const cache = join(root, ".cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  absWorkingDir: root,
  entryPoints: [entry],
  outfile: join(folder, "main.cjs"),
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20.19",
  format: "cjs",
  loader: { ".sql": "text", ".sh": "text" },
  define: places,
  plugins: [keepPlaces],
  logLevel: "warning",
});
const { main } = await import(pathToFileURL(join(folder, "main.cjs")).href);
process.exitCode = await main(args);
