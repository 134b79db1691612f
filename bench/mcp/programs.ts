/** The programs that the MCP rows compare, all built as ours is shipped: bundled and minified. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export interface Programs {
  readonly tt: string;
  /** The SDK with one tool. */
  readonly bare: string;
  /** The SDK with one tool that commits. */
  readonly committing: string;
  remove(): void;
}

/** Below the project, where they find its native package. Whatever lies in dist may be old. */
export async function buildPrograms(): Promise<Programs> {
  const root = join(import.meta.dirname, "../..");
  const directory = join(root, ".cache", `mcp-bench-${process.pid}`);
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), directory], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  mkdirSync(join(directory, "floor"));
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/workers/bare-mcp.ts", "bench/workers/bare-mcp-commit.ts"],
    outdir: join(directory, "floor"),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    external: ["@photostructure/sqlite"],
    define: { "import.meta.url": "__filename" },
    logLevel: "warning",
  });
  return {
    tt: join(directory, "tt.cjs"),
    bare: join(directory, "floor/bare-mcp.cjs"),
    committing: join(directory, "floor/bare-mcp-commit.cjs"),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
