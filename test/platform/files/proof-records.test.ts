import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keepProofs, programMark, readProofs } from "../../../src/platform/files/proof-records.ts";
import type { HarnessProof } from "../../../src/prove/rules/protection.ts";

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "tt-proofs-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function proofOf(harness: string, version: string): HarnessProof {
  const provenAt = "2026-01-02T03:04:05.000Z";
  return { harness, version, ttVersion: "1.0.0", program: "p", provenAt, isolated: true, checks: [] };
}

it("a new result replaces the harness's old one and leaves those of others", () => {
  const state = join(scratch(), "state");
  keepProofs(state, [proofOf("claude", "1.0.0"), proofOf("codex", "2.0.0")]);
  keepProofs(state, [proofOf("claude", "1.1.0")]);
  expect(readProofs(state)).toEqual({ claude: proofOf("claude", "1.1.0"), codex: proofOf("codex", "2.0.0") });
  expect(statSync(join(state, "proofs.json")).mode & 0o777).toBe(0o600);
});

it.each(["", "[]", "{", '{"claude": 1}', '{"claude": {"harness": "claude"}}'])("%j proves nothing", (text) => {
  const state = scratch();
  writeFileSync(join(state, "proofs.json"), text);
  expect(readProofs(state)).toEqual({});
});

/** Packages are often unpacked with the same time in all of their versions. */
function write(path: string, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, 0, 0);
}

it("an update that replaces a program file by one of the same size and time is noticed", () => {
  const directory = scratch();
  const program = join(directory, "program");
  write(program, "one");
  const before = programMark(program);
  expect(programMark(program)).toBe(before);
  write(join(directory, "update"), "two");
  renameSync(join(directory, "update"), program);
  expect(programMark(program)).not.toBe(before);
  expect(programMark(join(directory, "none"))).toBeNull();
});
