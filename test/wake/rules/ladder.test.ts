import { expect, test } from "vitest";
import { WAKE_TEXT, wakeTextFor } from "../../../src/mail/rules/wake-status.ts";
import { nextStep, type Rung, statusAfter, type WakeFacts } from "../../../src/wake/rules/ladder.ts";

/** A session in a living process of this machine of which nothing else is known. */
const BARE: WakeFacts = {
  mode: "auto",
  process: "alive",
  waker: null,
  native: false,
  hooked: false,
  activity: "unknown",
  activityIsCertain: false,
};
const EVERY_WAY = { waker: "alive", native: true } as const;
const AT_WORK = { activity: "busy", activityIsCertain: true } as const;

const CASES: readonly (readonly [what: string, facts: Partial<WakeFacts>, tried: readonly Rung[], step: string])[] = [
  ["a process inside its harness comes first", EVERY_WAY, [], "waker"],
  ["one of another machine may be alive", { waker: "unknown" }, [], "waker"],
  ["one that is gone does nothing", { waker: "gone" }, [], "terminal"],
  ["then its harness's inbox", EVERY_WAY, ["waker"], "native"],
  ["then its terminal", EVERY_WAY, ["waker", "native"], "terminal"],
  ["then nothing is left", EVERY_WAY, ["waker", "native", "terminal"], "skipped_no_target"],
  [
    "no keys where only harnesses may be used",
    { ...EVERY_WAY, mode: "native" },
    ["waker", "native"],
    "skipped_no_target",
  ],
  ["nothing at all when it is off", { ...EVERY_WAY, mode: "off" }, [], "disabled"],
  ["nothing for a session whose process is gone", { ...EVERY_WAY, process: "gone" }, [], "skipped_no_target"],
  ["no keys for a process that may be another one", { process: "unknown" }, [], "skipped_no_target"],
  ["its inbox does not need its process to be seen", { process: "unknown", native: true }, [], "native"],
  ["who is at work and shown its mail is left alone", { ...EVERY_WAY, ...AT_WORK, hooked: true }, [], "skipped_busy"],
  ["without hooks it is told at work, too", { ...EVERY_WAY, ...AT_WORK }, [], "waker"],
  ["what hooks told may be over, so its inbox is used", { native: true, hooked: true, activity: "busy" }, [], "native"],
  ["but keys are not", { hooked: true, activity: "busy" }, [], "skipped_busy"],
  ["who is idle is woken although it has hooks", { ...EVERY_WAY, hooked: true, activity: "idle" }, [], "waker"],
];

test.each(CASES)("%s", (_, facts, tried, expected) => {
  const step = nextStep({ ...BARE, ...facts }, new Set(tried));
  expect("climb" in step ? step.climb : step.stop).toBe(expected);
});

test("only what certainly did nothing leads to the next rung", () => {
  const statuses = ["sent", "failed", "no_target", "busy", "draft", "dialog"] as const;
  expect(statuses.map(statusAfter)).toEqual([
    "fired_unconfirmed",
    null,
    null,
    "skipped_busy",
    "skipped_draft",
    "skipped_dialog",
  ]);
});

test("the text of a wake is no command in any composer, and one line", () => {
  for (const text of [WAKE_TEXT, wakeTextFor({ count: 1, seq: 7 }, 0), wakeTextFor({ count: 12, seq: 70 }, 0)]) {
    expect(text).toMatch(/^[^@/!#$\n][^@\n]*$/);
  }
});

test("two wakes of an inbox differ in their text, for other mail at once and for the same mail after a second", () => {
  const wallMs = Date.UTC(2026, 0, 1, 11, 5, 32);
  expect(wakeTextFor({ count: 1, seq: 7 }, wallMs)).toBe(
    "You have a message in the talking stick room (number 7, 11:05:32 UTC): read it with read_my_messages.",
  );
  expect(wakeTextFor({ count: 2, seq: 8 }, wallMs)).toBe(
    "You have 2 messages in the talking stick room (the newest is number 8, 11:05:32 UTC): read them with read_my_messages.",
  );
  const texts = [1, 2, 3].flatMap((seq) => [0, 1000].map((later) => wakeTextFor({ count: 1, seq }, wallMs + later)));
  expect(new Set(texts).size).toBe(6);
});
