import { expect, it } from "vitest";
import { decodeHandoff } from "../../src/core/handoff.ts";

const HANDOFF = { status: "the parser is done", nextAction: "write its tests" };

it.each(["", "  ", "…", "...", " … ", "STATUS", "NEXT", "NEXT_ACTION", "WHY", "TEXT"])(
  "%j says nothing, so the handoff is refused with an example",
  (word) => {
    expect(decodeHandoff({ ...HANDOFF, status: word }, 1000)).toMatchObject({
      facts: { field: "status" },
      next: expect.stringContaining("the parser reads all of the old files"),
    });
    expect(decodeHandoff({ ...HANDOFF, nextAction: word }, 1000)).toMatchObject({
      facts: { field: "next_action" },
      next: expect.stringContaining("write its tests"),
    });
  },
);

it("a sentence that has such a word in it is a handoff", () => {
  const handoff = { status: "NEXT is done … TEXT, too", nextAction: "Why? See the note..." };
  expect(decodeHandoff(handoff, 1000)).toEqual(handoff);
});
