/** What is built is what was written. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";

test("programs hold plain characters alone, since they are loaded byte by byte", () => {
  const directory = dirname(inject("tt"));
  const programs = readdirSync(directory).filter((name) => name.endsWith(".cjs"));
  expect(programs).toContain("program.cjs");
  for (const name of programs) expect(readFileSync(join(directory, name)).findIndex((byte) => byte > 127)).toBe(-1);
});

test("a program carries only those parts of a harness that it uses", () => {
  const directory = dirname(inject("tt"));
  const carriers = (words: string) =>
    ["hook-program.cjs", "everyday.cjs", "install.cjs"].filter((name) =>
      readFileSync(join(directory, name), "utf8").includes(words),
    );
  expect(carriers("writable_roots")).toEqual(["install.cjs"]);
  expect(carriers("PostToolBatch")).toEqual(["hook-program.cjs", "install.cjs"]);
  expect(carriers("thread-writer-locks")).toEqual(["everyday.cjs"]);
});
