/**
 * Real child processes for tests. A fixture is a TypeScript file under test/; it is bundled once per run and
 * started with plain Node, so that what runs is the code under test and nothing of the test runner.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const root = resolve(import.meta.dirname, "../..");

export interface Bundle {
  readonly file: string;
  remove(): void;
}

/** Bundles `entry` (relative to the project); `plugins` may alter the code under test on the way. */
export async function bundleFixture(entry: string, plugins: Plugin[] = []): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "tt-fixture-"));
  const file = join(folder, `${basename(entry, ".ts")}.cjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    loader: { ".sql": "text", ".sh": "text" },
    // Native code cannot be bundled; it is found where this project installed it.
    external: ["@photostructure/sqlite"],
    // Wherever the bundle lies, it finds packages as the project does.
    banner: { js: `require=require("node:module").createRequire(${JSON.stringify(join(root, "package.json"))});` },
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(root, "package.json")).href) },
    plugins,
    logLevel: "warning",
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface RunningFixture {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Every line of standard output parsed as JSON, as it comes. */
  lines(): AsyncIterableIterator<unknown>;
  send(message: unknown): void;
  /** Resolves when the process ended, with its code or signal and what it wrote to standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stderr: string }>;
}

/** `through` is a command that starts the rest of its line, such as `unshare -m`. */
export function startFixture(
  bundle: Bundle,
  args: readonly string[],
  options: SpawnOptions = {},
  through: readonly string[] = [],
): RunningFixture {
  const [program = process.execPath, ...rest] = [...through, process.execPath, bundle.file, ...args];
  const child = spawn(program, rest, {
    stdio: ["pipe", "pipe", "pipe"],
    ...options,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...options.env },
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>((done) => {
    child.once("close", (code, signal) => done({ code, signal, stderr }));
  });
  // A killed child breaks its pipe; the test learns of the death through `ended`.
  child.stdin?.on("error", () => undefined);
  return {
    child,
    pid: child.pid ?? -1,
    ended,
    send: (message) => {
      child.stdin?.write(`${JSON.stringify(message)}\n`);
    },
    async *lines() {
      if (!child.stdout) return;
      for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
    },
  };
}
