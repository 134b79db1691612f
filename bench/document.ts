/** The page that keeps the last full table, with what one must know to read it. */
import { cpus, loadavg, platform, release } from "node:os";
import { loadSqliteDriver } from "../src/store/sqlite/driver.ts";

export interface Run {
  readonly command: string;
  readonly table: string;
  /** The load of the machine when the run began: other work makes the tails longer. */
  readonly loadBefore: number;
}

/** The average over the last minute. */
export function load(): number {
  return loadavg()[0] ?? 0;
}

export function documentOf({ command, table, loadBefore }: Run): string {
  return `# Benchmarks

Each figure stands beside a floor that was measured in the same run, by turns: what the machine itself takes for
the least that would do. The targets are ratios to that floor. \`npm run bench\` prints the table; \`--write\` keeps it here.

- Date: ${new Date().toISOString().slice(0, 10)}
- Machine: ${machine()}; load ${loadBefore.toFixed(1)} before the run
- Command: \`${command}\`

${table}

The floor of a durable event, a durable message, a grant and many contending processes is the least program that could do
the same: it makes the same commits, rings the same kind of bell and wakes like ours, without a rule, a name, evidence or
a queue (\`bench/workers/bare-program.ts\`; its sixteen processes hand the turn round in a circle). What it takes is the
machine's and the runtime's, and what ours takes beyond it is the price of the rules. The p99 is held against the middle
of the floor. \`over\` marks a figure that misses its target.

The floor of the row with 50 waiters is a bare commit with \`synchronous=FULL\` on the same kind of file, and a reader that
spins on it. The rows of the least program stand beside that floor, too, and are no targets.

The hot writers open, join, send, take, hand over and read without a pause, in 8 rooms of one store; in the second run a
program for each core keeps the machine busy. Their floor is \`bench/workers/bare-hot.ts\`, which does the same without rules.

Most of what the rules cost is JavaScript that runs once in a while, on cold caches; the optimizing compiler does not
change the middle, and the tails are mostly its own work in the first few thousand calls of a process: with
\`--no-opt --always-sparkplug\` the p99 of an event was little more than half.
`;
}

export function machine(): string {
  const cores = cpus();
  const model = cores[0]?.model.trim() ?? "unknown processor";
  return `${cores.length} × ${model}, ${platform()} ${release()}, Node ${process.version}, SQLite ${sqliteVersion()}`;
}

function sqliteVersion(): string {
  const handle = loadSqliteDriver()(":memory:");
  try {
    return String(handle.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  } finally {
    handle.close();
  }
}
