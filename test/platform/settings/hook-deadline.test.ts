import { expect, test } from "vitest";
import { hookDeadlineMs } from "../../../src/platform/settings/hook-deadline.ts";

test.each<[given: string | undefined, deadlineMs: number]>([
  [undefined, 750],
  ["", 750],
  ["2500", 2500],
  ["60000", 60_000],
])("a hook may take, with TT_HOOK_DEADLINE_MS=%s, %d ms", (given, deadlineMs) => {
  expect(hookDeadlineMs({ TT_HOOK_DEADLINE_MS: given })).toBe(deadlineMs);
});

test.each(["100", "-1", "60001", "soon", "NaN", "Infinity"])("the wrong value %s changes nothing", (given) => {
  expect(hookDeadlineMs({ TT_HOOK_DEADLINE_MS: given })).toBe(750);
});
