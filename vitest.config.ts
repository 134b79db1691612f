import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { suites } from "./test/suites.ts";

const seconds = 1000;
const campaign = process.env["TT_CAMPAIGN"] !== undefined;

/** The bundles carry .sql, .sh and .md files as text; the tests load them the same way. */
const filesAsText = {
  name: "files-as-text",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    return /\.(sql|sh|md)$/.test(id) ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined;
  },
};

interface ProjectOptions {
  readonly timeoutMs: number;
  readonly postgres?: boolean;
  /** Tests the built program. */
  readonly built?: boolean;
  /** What it sets up besides, and takes down at the end. */
  readonly setup?: string;
}

function project(name: keyof typeof suites, options: ProjectOptions): TestProjectConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: suites[name].map((folder) => `test/${folder}/**/*.test.ts`),
      testTimeout: options.timeoutMs,
      hookTimeout: options.timeoutMs,
      // Whoever polls waits for what must come, however busy the machine is; the test's own time is the limit.
      expect: { poll: { timeout: options.timeoutMs } },
      globalSetup: [
        ...(options.postgres ? ["test/support/postgres-global-setup.ts"] : []),
        ...(options.built ? ["test/cli/support/build-global-setup.ts"] : []),
        ...(options.setup === undefined ? [] : [options.setup]),
      ],
    },
  };
}

export default defineConfig({
  plugins: [filesAsText],
  test: {
    environment: "node",
    // Processes, not threads: tests change directories, send signals and load native code.
    pool: "forks",
    projects: [
      project("unit", { timeoutMs: 10 * seconds }),
      project("contract", { timeoutMs: 30 * seconds, postgres: true }),
      project("sim", { timeoutMs: (campaign ? 3600 : 240) * seconds }),
      project("promises", { timeoutMs: (campaign ? 3600 : 120) * seconds, postgres: true, built: true }),
      project("pins", { timeoutMs: 10 * seconds }),
      project("mcp", { timeoutMs: 60 * seconds, built: true }),
      project("mcp-slow", { timeoutMs: (campaign ? 3600 : 240) * seconds, built: true }),
      project("harness", {
        timeoutMs: 180 * seconds,
        built: true,
        setup: "test/harness/support/table-global-setup.ts",
      }),
      project("hook", { timeoutMs: 60 * seconds, built: true }),
      project("cli", { timeoutMs: 60 * seconds, built: true }),
      project("cli-slow", { timeoutMs: (campaign ? 3600 : 240) * seconds, postgres: true, built: true }),
    ],
  },
});
