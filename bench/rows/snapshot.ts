/** The snapshot that ends a turn, beside what git itself takes to put the changes of tracked files aside. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTurnRecord } from "../../src/platform/git/record/turn-record.ts";
import { isSnapshot } from "../../src/stick/rules/snapshot.ts";
import { median, milliseconds } from "../figure.ts";
import { atMost } from "../finding.ts";
import { alternately, nowUs } from "../marks.ts";
import type { Row } from "../row.ts";
import type { Workshop } from "../workshop.ts";

const CHANGED = 20;
const PER_DIRECTORY = 10;

export const snapshot: Row = {
  name: "snapshot",
  async measure(shop) {
    const files = shop.scale(5000, 500);
    const tree = new ChangingTree(shop, files);
    await tree.snapshot();
    const { floor, measured } = await alternately(
      shop.scale(20, 3),
      () => tree.stash(),
      () => tree.snapshot(),
    );
    const what = `snapshot of a turn, ${files} files, ${CHANGED} changed / git stash create, p50`;
    return [atMost({ what, floor: milliseconds(median(floor)), measured: milliseconds(median(measured)) }, 1.8)];
  },
};

/** Each measurement begins with changes that nobody has seen. */
class ChangingTree {
  readonly #tree: string;
  readonly #files: number;
  readonly #record;
  #round = 0;

  constructor(shop: Workshop, files: number) {
    const root = shop.directory();
    this.#tree = join(root, "tree");
    this.#files = files;
    for (const name of ["data", "scratch"]) mkdirSync(join(root, name), { mode: 0o700 });
    this.#record = createTurnRecord({ dataDir: join(root, "data"), home: null, scratch: [join(root, "scratch")] });
    for (let at = 0; at < files; at += PER_DIRECTORY)
      mkdirSync(join(this.#tree, `d${at / PER_DIRECTORY}`), { recursive: true });
    for (let at = 0; at < files; at += 1) writeFileSync(this.#file(at), `file ${at}\n`.repeat(50));
    this.#git("init", "--quiet");
    this.#git("add", ".");
    this.#git("commit", "--quiet", "--message=first");
  }

  async stash(): Promise<readonly number[]> {
    this.#change();
    const start = nowUs();
    this.#git("stash", "create");
    return [nowUs() - start];
  }

  async snapshot(): Promise<readonly number[]> {
    this.#change();
    const start = nowUs();
    const outcome = await this.#record.snapshot(this.#tree, { budgetMs: 60_000 });
    if (!isSnapshot(outcome)) throw new Error(`skipped: ${outcome.skipped}`);
    return [nowUs() - start];
  }

  #change(): void {
    this.#round += 1;
    for (let at = 0; at < CHANGED; at += 1) {
      appendFileSync(this.#file((at * 97 + this.#round) % this.#files), `round ${this.#round}\n`);
    }
  }

  #file(at: number): string {
    return join(this.#tree, `d${Math.floor(at / PER_DIRECTORY)}/f${at}`);
  }

  #git(...args: readonly string[]): void {
    const author = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
    execFileSync("git", ["-C", this.#tree, ...author, ...args], { stdio: "ignore" });
  }
}
