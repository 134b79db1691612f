import { expect, test } from "vitest";
import { foreignWrite, toldWriter } from "../../../src/guard/rules/foreign-write.ts";

test("a writer is sent to the holder only if there is one", () => {
  const write = foreignWrite(["a.txt"], { evidence: "tool_call", tool: "Write", duringTurn: 3 });
  expect(toldWriter(write, "codex")).toMatch(/while codex held it \(turn 3\)\. Tell the holder what you changed/);
  expect(toldWriter({ ...write, duringTurn: null }, null)).not.toContain("Tell the holder");
});
