/** What is built is what was written. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { kickMember } from "../../src/room/kick-member.ts";
import { heartbeat } from "../../src/stick/heartbeat.ts";

test("programs hold plain characters alone, since they are loaded byte by byte", () => {
  const directory = dirname(inject("tt"));
  const programs = readdirSync(directory).filter((name) => name.endsWith(".cjs"));
  expect(programs).toContain("program.cjs");
  for (const name of programs) expect(readFileSync(join(directory, name)).findIndex((byte) => byte > 127)).toBe(-1);
});

test("the program of every day holds the operations that its commands use, and no others", () => {
  const everyday = textOf("everyday.cjs");
  expect(everyday).toContain(heartbeat.summary);
  expect(everyday).not.toContain(kickMember.summary);
});

test("a program carries only those parts of a harness that it uses", () => {
  expect(carriers("writable_roots")).toEqual(["install.cjs"]);
  expect(carriers("PostToolBatch")).toEqual(["hook-program.cjs", "install.cjs"]);
  expect(carriers("thread-writer-locks")).toEqual(["everyday.cjs"]);
});

test("Ink is in the program of the console alone, and React there and in the page", () => {
  const files = readdirSync(dirname(inject("tt")), { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.[cm]?js$/.test(name),
  );
  const holding = (words: RegExp) => files.filter((name) => words.test(textOf(name))).toSorted();
  expect(holding(/yoga/)).toEqual(["console.mjs"]);
  expect(holding(/react\.(?:transitional\.)?element/)).toEqual(["console.mjs", "page/page.js"]);
});

function textOf(name: string): string {
  return readFileSync(join(dirname(inject("tt")), name), "utf8");
}

function carriers(words: string): readonly string[] {
  return ["hook-program.cjs", "everyday.cjs", "install.cjs"].filter((name) => textOf(name).includes(words));
}
