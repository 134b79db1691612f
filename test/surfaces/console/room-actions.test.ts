/** Every answer that is no success is said. */
import { expect, test } from "vitest";
import { refuse } from "../../../src/core/refusal.ts";
import type { CliContext } from "../../../src/surfaces/cli/context.ts";
import { failureText } from "../../../src/surfaces/console/room-actions.ts";

const CONTEXT = { nextOf: ({ next }: { next: string }) => next, wordsOf: String } as unknown as CliContext;

test.each([
  [{ messageId: "m" }, null],
  [{ status: "your_turn" }, null],
  [{ status: "given" }, null],
  [{ status: "paused" }, null],
  [{ status: "resumed" }, null],
  [{ status: "kicked" }, null],
  [{ reply: {}, timedOut: false }, null],
  [{ status: "not_yet", next: "Wait: tt wait" }, "The stick is not yours yet. Wait: tt wait"],
  [{ status: "takeover_available" }, "The stick is not yours yet."],
  [{ reply: null, timedOut: true }, "No answer came in time. One that comes later is shown here."],
  [refuse("unknown_recipient", "There is no member x.", "Name one."), "There is no member x. Name one."],
  [
    refuse("unknown_recipient", "There is no member x.", "Name one.", { candidates: ["a (1)", "b (2)"] }),
    "There is no member x. Name one. Candidates: a (1), b (2)",
  ],
])("of %j it says %j", (answer, said) => {
  expect(failureText(CONTEXT, answer)).toBe(said);
});
