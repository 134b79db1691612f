import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { longest, suites } from "./test/suites.ts";

const seconds = 1000;
const campaign = process.env["TT_CAMPAIGN"] !== undefined;

// Node would read this file at every start, which takes longer than many tests. The tests connect only to this machine.
delete process.env["NODE_EXTRA_CA_CERTS"];

/** Most tests wait for processes, so one file more than there are cores keeps the cores at work. */
const FILES_AT_ONCE = availableParallelism() + 1;

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

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((file) => moduleId.endsWith(`/test/${file}`));
  return place === -1 ? longest.length : place;
}

function filesOf(place: string): string {
  return place.endsWith(".test.ts") ? `test/${place}` : `test/${place}/**/*.test.ts`;
}

/** A file that one suite names does not run in the suite of its folder. */
function filesNamedBeside(name: keyof typeof suites): readonly string[] {
  const others = Object.entries(suites).filter(([other]) => other !== name);
  return others.flatMap(([, places]) => places.filter((place) => place.endsWith(".test.ts")));
}

function project(name: keyof typeof suites, options: ProjectOptions): TestProjectConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: suites[name].map(filesOf),
      exclude: filesNamedBeside(name).map(filesOf),
      // Vitest runs such a project's files one by one, after all others.
      maxWorkers: name === "alone" ? 1 : FILES_AT_ONCE,
      testTimeout: options.timeoutMs,
      hookTimeout: options.timeoutMs,
      // A poll waits for what must come, however busy the machine is.
      // Less than a test may take: then the poll itself fails, and says what it saw.
      expect: { poll: { timeout: Math.min(0.8 * options.timeoutMs, 300 * seconds) } },
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
    sequence: { sequencer: LongestFirst },
    projects: [
      project("unit", { timeoutMs: 60 * seconds }),
      project("contract", { timeoutMs: 120 * seconds, postgres: true }),
      project("sim", { timeoutMs: (campaign ? 3600 : 600) * seconds }),
      project("promises", { timeoutMs: (campaign ? 36_000 : 1800) * seconds, postgres: true, built: true }),
      project("alone", { timeoutMs: (campaign ? 36_000 : 1800) * seconds, postgres: true, built: true }),
      project("pins", { timeoutMs: 60 * seconds }),
      project("mcp", { timeoutMs: 120 * seconds, built: true }),
      project("mcp-slow", { timeoutMs: (campaign ? 3600 : 600) * seconds, built: true }),
      project("harness", {
        timeoutMs: 900 * seconds,
        built: true,
        setup: "test/harness/support/table-global-setup.ts",
      }),
      project("hook", { timeoutMs: 120 * seconds, built: true }),
      project("cli", { timeoutMs: 120 * seconds, built: true }),
      project("browser", {
        timeoutMs: 120 * seconds,
        built: true,
        setup: "test/browser/support/chromium-global-setup.ts",
      }),
      project("cli-slow", { timeoutMs: (campaign ? 3600 : 600) * seconds, postgres: true, built: true }),
    ],
  },
});
