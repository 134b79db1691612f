import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { quickPlace } from "./quick-place.ts";

/** Where a part of a test leaves what cleans up after it. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** A directory of the running test's own, without symlinks in its path, removed when the test is over. */
export function temporaryDirectory(inside = tmpdir(), atEnd: AtEnd = onTestFinished): string {
  const directory = realpathSync(mkdtempSync(join(inside, "tt-test-")));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The same in memory where possible: for tests that no power failure concerns. There, a flush to disk takes no time. */
export function quickDirectory(atEnd: AtEnd = onTestFinished): string {
  return temporaryDirectory(quickPlace(), atEnd);
}
