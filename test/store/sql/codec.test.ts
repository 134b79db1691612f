import { expect, test } from "vitest";
import { EVENT_TYPES } from "../../../src/core/event.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import { fromStoredJson, toStoredJson } from "../../../src/store/sql/codec.ts";
import { handoff } from "../../../src/store/sql/documents.ts";

test("keys are snake_case in the store and camelCase here, at every depth", () => {
  const value = { nextAction: "a_b cD", artifacts: [{ diffStat: null, x: { doNot: ["keep_this"] } }] };
  const stored = '{"next_action":"a_b cD","artifacts":[{"diff_stat":null,"x":{"do_not":["keep_this"]}}]}';
  expect(toStoredJson(value)).toBe(stored);
  expect(fromStoredJson(stored)).toEqual(value);
});

test("every policy key comes back as it went", () => {
  expect(fromStoredJson(toStoredJson(DEFAULT_POLICY))).toEqual(DEFAULT_POLICY);
});

test("text keeps what databases do not: NUL and half a surrogate pair", () => {
  const text = "a\u0000b\ud800c\u2028🪄";
  const stored = toStoredJson(text);
  expect(stored).not.toContain("\u0000");
  expect(Buffer.from(stored, "utf8").toString("utf8")).toBe(stored);
  expect(fromStoredJson(stored)).toBe(text);
});

test("values are never renamed, even if they look like keys", () => {
  expect(fromStoredJson(toStoredJson([...EVENT_TYPES]))).toEqual(EVENT_TYPES);
});

test("a handoff that was stored without the number of untracked files is read as it is", () => {
  const evidence = { head: "abc", branch: null, dirty: true, diffStat: "" };
  const old = { status: "s", nextAction: "n", evidence };
  expect(handoff(old, "handoff")).toEqual(old);
  const counted = { ...old, evidence: { ...evidence, untracked: null } };
  expect(handoff(counted, "handoff")).toEqual(counted);
});
