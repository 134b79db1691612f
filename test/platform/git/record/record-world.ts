import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { TurnRecord } from "../../../../src/engine/ports/working-tree.ts";
import { createTurnRecord, type TurnRecordOptions } from "../../../../src/platform/git/record/turn-record.ts";
import { isSnapshot, type TreeSnapshot } from "../../../../src/stick/rules/snapshot.ts";
import { makeRepository } from "../../../support/git-repository.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

/** A repository with one commit, and a record beside it. */
export class RecordWorld {
  readonly root: string;
  readonly top: string;
  readonly data: string;
  readonly scratch: string;
  readonly record: TurnRecord;

  constructor(options: Partial<TurnRecordOptions> = {}, root = temporaryDirectory()) {
    this.root = root;
    this.top = makeRepository(join(root, "app"));
    this.data = join(root, "data");
    this.scratch = join(root, "scratch");
    for (const path of [this.data, this.scratch]) mkdirSync(path, { mode: 0o700 });
    this.record = this.open(options);
  }

  open(options: Partial<TurnRecordOptions> = {}): TurnRecord {
    const env = { PATH: process.env["PATH"], HOME: join(this.root, "home") };
    return createTurnRecord({ dataDir: this.data, home: null, scratch: [this.scratch], env, ...options });
  }

  write(name: string, content: string | Uint8Array, mode = 0o644): void {
    const path = join(this.top, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
  }

  /** A snapshot that must succeed. */
  async snapshot(path = this.top, record = this.record): Promise<TreeSnapshot> {
    const outcome = await record.snapshot(path, { budgetMs: 60_000 });
    if (!isSnapshot(outcome)) throw new Error(`skipped: ${outcome.skipped}`);
    return outcome;
  }

  /** The names of the files that differ, with the letter of the change. */
  async changed(from: TreeSnapshot, to: TreeSnapshot): Promise<readonly string[]> {
    const changes = await this.record.changes(this.top, from.treeId, to.treeId);
    return (changes?.files ?? []).map(({ status, path }) => `${status} ${path}`);
  }

  /** Gives paths the content of a snapshot. Every path must be restored. */
  async restore(target: TreeSnapshot, ...paths: readonly string[]): Promise<void> {
    const wanted = { paths, force: true, mayWrite: async () => true };
    const answer = await this.record.restore({ roomId: "room1", path: this.top }, target, wanted);
    expect(answer).toMatchObject({ failed: [] });
  }
}
