import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { MailFlags } from "../../../src/engine/ports/mail-flags.ts";
import { createMailFlags } from "../../../src/platform/agents/mail-flags.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const S = "session-1";
let directory: string;
let flags: MailFlags;

beforeEach(() => {
  const dataDir = temporaryDirectory();
  directory = join(dataDir, "flags");
  mkdirSync(directory);
  flags = createMailFlags(dataDir);
});

test("a flag that was raised since it was seen is not lowered, and nothing else stays behind", () => {
  expect(flags.look(S)).toBeNull();
  flags.raise([S]);
  const seen = flags.look(S);
  flags.raise([S]);
  expect(flags.look(S)).not.toBe(seen);
  flags.lower(S, seen);
  expect(readdirSync(directory)).toEqual([S]);
  flags.lower(S, flags.look(S));
  expect(readdirSync(directory)).toEqual([]);
});

test("one that was down and is up now is not lowered either", () => {
  flags.lower(S, null);
  expect(flags.look(S)).toBeNull();
  flags.raise([S]);
  flags.lower(S, null);
  expect(readdirSync(directory)).toEqual([S]);
  flags.lower(S);
  expect(readdirSync(directory)).toEqual([]);
});

test("a process that raises flags is told which of them are up", () => {
  symlinkSync(join(directory, "nowhere"), join(directory, "dangling"));
  mkdirSync(join(directory, "standing"));
  expect(flags.raise([S, "dangling", "standing", "no/session"])).toEqual(new Set([S, "standing"]));
});

test("a planted link is not followed", () => {
  const target = join(directory, "..", "target");
  writeFileSync(target, "precious");
  symlinkSync(target, join(directory, S));
  flags.raise([S]);
  expect(flags.look(S)).toBeNull();
  flags.lower(S);
  expect(existsSync(target)).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
});
