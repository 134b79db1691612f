/** Where the lines of prompts lie, for every path that a room can have. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createPromptFiles } from "../../../src/platform/agents/prompt-files.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LONGEST_PART = 255;

test.each([
  ["plain", "proj"],
  ["as long as a name can be", "x".repeat(LONGEST_PART)],
  ["as long, of wide characters", "日".repeat(LONGEST_PART / 3)],
])("a room whose name is %s has a line", (_, name) => {
  const dataDir = temporaryDirectory();
  const files = createPromptFiles(dataDir);
  const file = join(dataDir, "prompt/2/w", name);
  expect(files.keepRoom(`/w/${name}`, "stick:a")).toBe(true);
  expect(files.keepRoom(`/w/${name}`, "stick:a")).toBe(false);
  expect(readFileSync(file, "utf8").trim()).toBe("stick:a");
  expect(files.keepRoom(`/w/${name}`, "stick:b")).toBe(true);
  expect(readFileSync(file, "utf8").trim()).toBe("stick:b");
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  expect(files.keepRoom(`/w/${name}`, null)).toBe(true);
  expect(readdirSync(dirname(file))).toEqual([]);
});

test("a room at the root has none, and that is no fault", () => {
  const dataDir = temporaryDirectory();
  const files = createPromptFiles(dataDir);
  expect([files.keepRoom("/", "stick:a"), files.keepRoom("/", null)]).toEqual([false, false]);
  expect(readdirSync(dataDir)).toEqual([]);
});

test("it is known when the person's line was last compared", () => {
  const dataDir = temporaryDirectory();
  const files = createPromptFiles(dataDir);
  expect(files.personComparedAt()).toBeNull();
  files.keepPerson("✉1");
  files.confirmPerson(1_700_000_000_500);
  expect(files.personComparedAt()).toBe(1_700_000_000_500);
});
