/**
 * Where a row works: temporary directories, and worker processes that are bundled once per run. What a row
 * started and made is ended and removed when the row is over, however it ends.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bundle, bundleFixture } from "../test/support/fixture.ts";
import { inParallel } from "../test/support/in-parallel.ts";
import { withoutPostgres } from "../test/support/sqlite-fixture.ts";
import { type Ground, groundAt } from "../test/support/sqlite-world.ts";
import { startWorker, type Worker } from "./worker.ts";

/** Starting many processes at once takes longer than starting a few at a time. */
const STARTS_AT_A_TIME = 4;

export interface StartOptions {
  readonly env?: Ground["env"];
  /** Only what talks to PostgreSQL carries its driver: the others start faster without. */
  readonly postgres?: boolean;
}

export class Workshop {
  readonly quick: boolean;
  readonly #bundles = new Map<string, Promise<Bundle>>();
  #workers: { end(): Promise<void> }[] = [];
  #directories: string[] = [];

  constructor(options: { readonly quick: boolean }) {
    this.quick = options.quick;
  }

  /** The number for a real run, or the small one for a smoke test. */
  scale(full: number, quick: number): number {
    return this.quick ? quick : full;
  }

  directory(): string {
    const directory = mkdtempSync(join(tmpdir(), "tt-bench-"));
    this.#directories.push(directory);
    return directory;
  }

  /** A data directory of its own, and a tree to make a room for. */
  ground(settings: Ground["env"] = {}): Ground {
    return groundAt(this.directory(), settings);
  }

  /** The bundle of bench/workers/<name>.ts. */
  bundle(name: string, { postgres = false }: StartOptions = {}): Promise<Bundle> {
    const key = postgres ? `${name} with postgres` : name;
    const known = this.#bundles.get(key);
    if (known) return known;
    const bundle = bundleFixture(`bench/workers/${name}.ts`, postgres ? [] : [withoutPostgres]);
    this.#bundles.set(key, bundle);
    return bundle;
  }

  /** `Program` is the type that the worker's file exports for what it can be asked. */
  async start<Program>(name: string, options: StartOptions = {}): Promise<Worker<Program>> {
    const worker = startWorker<Program>(name, await this.bundle(name, options), options.env ?? {});
    this.#workers.push(worker);
    return worker;
  }

  /**
   * Starts `count` workers and prepares each before the next few are started. The first one is prepared alone, because
   * it may create the file that the others open: SQLite does not wait for its lock while a new file changes its journal.
   */
  async startMany<Program>(
    count: number,
    name: string,
    options: StartOptions,
    prepare: (worker: Worker<Program>, index: number) => Promise<unknown>,
  ): Promise<readonly Worker<Program>[]> {
    const workers: Worker<Program>[] = [];
    const startOne = async (index: number) => {
      const worker = await this.start<Program>(name, options);
      workers.push(worker);
      await prepare(worker, index);
    };
    if (count > 0) await startOne(0);
    const others = Array.from({ length: Math.max(0, count - 1) }, (_, index) => index + 1);
    await inParallel(STARTS_AT_A_TIME, others, startOne);
    return workers;
  }

  async clear(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.end()));
    for (const directory of this.#directories) rmSync(directory, { recursive: true, force: true });
    this.#workers = [];
    this.#directories = [];
  }

  async close(): Promise<void> {
    await this.clear();
    for (const bundle of await Promise.all(this.#bundles.values())) bundle.remove();
    this.#bundles.clear();
  }
}
