import { expect, it } from "vitest";
import { happeningWords } from "../../../src/surfaces/picture/happening-words.ts";
import { evidenceAttached, told } from "../page/told-log.ts";

const READER = { me: null, nameOf: (agentId: string) => agentId };
const NOTHING = { head: "abc", branch: "main", dirty: null, untracked: null, diffStat: null };

it.each([
  ["of the files", { ...NOTHING, dirty: false }, "git has compared the files at the end of turn 3"],
  ["of a tree without a commit", { ...NOTHING, tree: "7ree" }, "git has compared the files at the end of turn 3"],
  ["of nothing", NOTHING, "git has not compared the files at the end of turn 3"],
])("evidence %s says whether git has compared them", (_, evidence, words) => {
  const [event] = told([evidenceAttached(1, 3, 2, evidence)]);
  expect(event && happeningWords(event, READER)).toBe(words);
});
