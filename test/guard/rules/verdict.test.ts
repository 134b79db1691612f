/** Who may write in a guarded room, written out as a table: one row for each mode and each sight of the stick. */
import { expect, test } from "vitest";
import { GUARD_MODES, type GuardMode } from "../../../src/core/policy.ts";
import { type GuardVerdict, type StickSight, severer, verdictOn } from "../../../src/guard/rules/verdict.ts";

type Row = readonly [GuardMode, StickSight, reads: GuardVerdict, unknown: GuardVerdict, writes: GuardVerdict];

const TABLE: readonly Row[] = [
  ["off", "held", "allow", "allow", "allow"],
  ["off", "abandoned", "allow", "allow", "allow"],
  ["off", "reserved", "allow", "allow", "allow"],
  ["off", "paused", "allow", "allow", "allow"],
  ["off", "free", "allow", "allow", "allow"],
  ["advise", "held", "allow", "allow", "tell"],
  ["advise", "abandoned", "allow", "allow", "allow"],
  ["advise", "reserved", "allow", "allow", "allow"],
  ["advise", "paused", "allow", "allow", "tell"],
  ["advise", "free", "allow", "allow", "allow"],
  ["deny", "held", "allow", "allow", "refuse"],
  ["deny", "abandoned", "allow", "allow", "tell"],
  ["deny", "reserved", "allow", "allow", "tell"],
  ["deny", "paused", "allow", "allow", "refuse"],
  ["deny", "free", "allow", "allow", "tell"],
  ["strict", "held", "allow", "refuse", "refuse"],
  ["strict", "abandoned", "allow", "refuse", "refuse"],
  ["strict", "reserved", "allow", "refuse", "refuse"],
  ["strict", "paused", "allow", "refuse", "refuse"],
  ["strict", "free", "allow", "refuse", "refuse"],
];

test.each(TABLE)("%s, the stick is %s: reads %s, unknown %s, writes %s", (mode, stick, reads, unknown, writes) => {
  expect(verdictOn(mode, stick, "reads")).toBe(reads);
  expect(verdictOn(mode, stick, "unknown")).toBe(unknown);
  expect(verdictOn(mode, stick, "writes")).toBe(writes);
});

test("the table has a row for every mode", () => {
  const sights = new Set(TABLE.map(([, stick]) => stick));
  expect(TABLE.map(([mode, stick]) => `${mode} ${stick}`)).toEqual(
    GUARD_MODES.flatMap((mode) => [...sights].map((stick) => `${mode} ${stick}`)),
  );
});

test.each<[a: GuardVerdict, b: GuardVerdict, both: GuardVerdict]>([
  ["allow", "allow", "allow"],
  ["allow", "tell", "tell"],
  ["tell", "refuse", "refuse"],
  ["allow", "refuse", "refuse"],
])("of %s and %s the more severe one is %s", (a, b, both) => {
  expect(severer(a, b)).toBe(both);
  expect(severer(b, a)).toBe(both);
});
