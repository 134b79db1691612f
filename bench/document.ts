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

The floor of the first rows is a bare commit with \`synchronous=FULL\` on the same kind of file, and a reader that
spins on it. The p99 is held against the middle of the floor. \`over\` marks a figure that misses its target.

What the parts of a message cost, timed one by one: the commit that waits for the disk 0.35 ms, and the ring with the
other process's wake-up 0.15 ms (at a floor of 0.43 ms); the sender's own work before the commit about 0.6 ms, and the
transaction that takes the message before it may be shown about 0.4 ms (both on a busy machine, so at most that). Commit
and wake-up alone are 1.2 × the floor, which has no wake-up because its reader spins. A grant is two commits that wait
for the disk, one after the other in two processes, with a wake-up between: by the same figures 0.85 ms, or 2 ×, before
any rule is looked at. Each grant among contending processes is three transactions; on a busy machine it took 4 to 5 ms
of processor time, which bounds two cores to some 450 grants a second, far below a quarter of the bare commits.
`;
}

function machine(): string {
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
