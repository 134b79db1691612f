import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchNames } from "../../../src/platform/files/list-names.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("names that appear in a directory are told, and a directory that is not there is not watched", async () => {
  const directory = temporaryDirectory();
  const told = new Set<string>();
  expect(watchNames(directory, (name) => told.add(name))).toBe(true);
  writeFileSync(join(directory, "ses_1"), "");
  await expect.poll(() => [...told]).toEqual(["ses_1"]);
  expect(watchNames(join(directory, "missing"), () => undefined)).toBe(false);
});
