import { expect, it } from "vitest";
import type { RoomEvent } from "../../../src/core/event.ts";
import { attributedPaths, foreignChange } from "../../../src/stick/rules/foreign-change.ts";
import type { ChangedFile } from "../../../src/stick/rules/snapshot.ts";

const NOTHING_KNOWN = { leftOut: [], inside: "", known: new Set<string>() };

function changed(...paths: readonly string[]): { files: ChangedFile[]; more: number } {
  const rest = { status: "modified", added: 1, removed: 0, binary: false, untracked: false } as const;
  return { files: paths.map((path) => ({ path, ...rest })), more: 0 };
}

function write(seq: number, from: string | null, path: string): RoomEvent {
  return { seq, type: "foreign_write", fromAgentId: from, payload: { paths: [path] } } as unknown as RoomEvent;
}

it("only paths in the room count, and they are named from there", () => {
  const found = foreignChange(changed("app/a.ts", "apple/b.ts", "c.ts"), { ...NOTHING_KNOWN, inside: "app" });
  expect(found).toMatchObject({ paths: ["a.ts"], more: 0, evidence: "comparison", duringTurn: null });
});

it("a path that a snapshot left out, or whose writer is known, is not reported", () => {
  const leftOut = [{ path: "big.bin", why: "too_large" } as const, { path: "sub", why: "submodule" } as const];
  const context = { ...NOTHING_KNOWN, leftOut, known: new Set(["mine.ts"]) };
  expect(foreignChange(changed("big.bin", "sub/a", "mine.ts"), context)).toBe(null);
  expect(foreignChange(changed("subway"), context)).toMatchObject({ paths: ["subway"] });
});

it("at most fifty paths are named, and all are counted", () => {
  const many = Array.from({ length: 60 }, (_, at) => `f${at}`);
  expect(foreignChange({ ...changed(...many), more: 5 }, NOTHING_KNOWN)).toMatchObject({ more: 15 });
});

it("only named writers since the end of the last turn are known", () => {
  const release = { seq: 2, type: "release", fromAgentId: "a", turnId: 1 } as unknown as RoomEvent;
  const events = [write(1, "b", "old"), release, write(3, "b", "new"), write(4, null, "nobody")];
  expect([...attributedPaths(events)]).toEqual(["new"]);
});
