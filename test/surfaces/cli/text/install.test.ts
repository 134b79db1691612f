import { expect, it } from "vitest";
import { errorText } from "../../../../src/surfaces/cli/text/error.ts";
import { refusalText } from "../../../../src/surfaces/cli/text/install.ts";
import { paint } from "../../../../src/surfaces/cli/text/paint.ts";

it.each([true, false])("a harness that is refused reads like any other error (colour: %s)", (isColoured) => {
  const style = { paint: paint(isColoured), columns: 80, home: "/home/ann" };
  const outcome = {
    harness: "claude" as const,
    title: "Claude Code",
    status: "skipped" as const,
    files: [],
    reason: "There is no claude on the path and no /home/ann/.claude.",
    next: "Install Claude Code first, or leave it out.",
    notes: [],
  };
  const error = { message: "Claude Code: There is no claude on the path and no ~/.claude.", next: outcome.next };
  expect(refusalText(outcome, style)).toBe(errorText(error, style.columns, style.paint));
});
