import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory of the running test's own, without symlinks in its path, removed when the test is over. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "tt-test-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
