import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const MEMORY = "/dev/shm";

/** Like a temporary directory, but kept in memory where that is possible: for tests that no power cut concerns. */
export function quickDirectory(): string {
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "tt-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
