import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { createQuietMarks, createToldActivities } from "../../../src/platform/agents/quiet-files.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const now = { instant: { epoch: "boot-7", ms: 100_250 }, suspendedMs: 0, wallMs: 1_700_000_000_000 };
const ANN = asAgentId("claude:1234abcd");
const SINCE = "2026-01-01T00:00:00.000Z";

function place() {
  const dataDir = temporaryDirectory();
  const options = { dataDir, clock: { now: () => now } };
  return { dataDir, quiet: createQuietMarks(options), told: createToldActivities(options) };
}

function note(dataDir: string, text: string, sessionId = "s"): string {
  const path = join(dataDir, "quiet/told", sessionId);
  mkdirSync(join(dataDir, "quiet/told"), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, new Date(SINCE), new Date(SINCE));
  return path;
}

test("a mark counts for five minutes from the permit, and names it", () => {
  const { dataDir, quiet } = place();
  const permit = quiet.open(ANN);
  if (!permit) throw new Error("no permit was given");
  quiet.leave({ sessionId: "s", permit, cwd: '/w "x"', calledBy: "12.0.0.0", servers: [3, 4], turn: null });
  const [words, ...rest] = readFileSync(join(dataDir, "quiet/mark/s"), "utf8").split("\n");
  expect(words?.split(" ")).toEqual(["400", "boot-7", "12.0.0.0", "agent.claude%3a1234abcd", permit.word, "-"]);
  expect(rest).toEqual(['"/w \\"x\\""', "3 4", ""]);
  expect(readFileSync(join(dataDir, "quiet/permit/agent.claude%3a1234abcd"), "utf8")).toBe(`${permit.word}\n`);
});

test("another permit is another one, and a closed one is gone", () => {
  const { dataDir, quiet } = place();
  expect(quiet.open(ANN)?.word).not.toBe(quiet.open(ANN)?.word);
  quiet.close(ANN);
  quiet.close(ANN);
  expect(readdirSync(join(dataDir, "quiet/permit"))).toEqual([]);
});

test.each([
  ["a turn with a blank", { turn: "a b" }],
  ["an id that is no file name", { sessionId: "../s" }],
  ["a caller in many words", { calledBy: "1 2" }],
])("%s gets no mark", (_, more) => {
  const { dataDir, quiet } = place();
  const permit = quiet.open(ANN);
  if (!permit) throw new Error("no permit was given");
  quiet.leave({ sessionId: "s", permit, cwd: "/w", calledBy: "1", servers: [], turn: null, ...more });
  expect(readdirSync(join(dataDir, "quiet/mark"))).toEqual([]);
});

test.each<[what: string, text: string, expected: object | "gone" | null]>([
  ["busy in a turn", "busy 98.50 boot-7 turn-1\n", { state: "busy", since: SINCE, turn: "turn-1" }],
  ["idle in no turn", "idle 98.50 boot-7 -\n", { state: "idle", since: SINCE, turn: null }],
  ["the rest of a longer note", "idle 98.50 boot-7 -\nturn-1\n", { state: "idle", since: SINCE, turn: null }],
  ["an earlier boot", "busy 98.50 boot-6 -\n", null],
  ["a time that is still to come", "busy 102.00 boot-7 -\n", null],
  ["another state", "asleep 98.50 boot-7 -\n", null],
  ["too few words", "busy 98.50 boot-7\n", null],
  ["too many words", "busy 98.50 boot-7 a b\n", null],
  ["nothing", "", null],
  ["binary", "\0\0\0\0", null],
  ["too much text", `busy 98.50 boot-7 ${"x".repeat(1000)}\n`, "gone"],
])("a note of %s", (_, text, expected) => {
  const { dataDir, told } = place();
  note(dataDir, text);
  expect(told.read("s")).toEqual(expected);
});

test("a planted link, and a name that is no session's, are no notes", () => {
  const { dataDir, told } = place();
  const path = note(dataDir, "busy 98.50 boot-7 -\n", "not.a.session");
  symlinkSync(path, join(dataDir, "quiet/told/s"));
  expect([...told.sessions()]).toEqual(["s"]);
  expect(told.read("s")).toBe("gone");
  expect(told.read("not.a.session")).toBeNull();
});

test("a note is forgotten only if nothing was told since, and nothing else stays behind", () => {
  const { dataDir, told } = place();
  const names = () => readdirSync(join(dataDir, "quiet/told"));
  expect(told.read("s")).toBe("gone");
  note(dataDir, "busy 98.50 boot-7 turn-1\n");
  const before = told.read("s");
  if (!before || before === "gone") throw new Error("there is no note");
  note(dataDir, "idle 99.50 boot-7 turn-1\n");
  told.forget("s", before);
  expect(told.read("s")).toEqual({ ...before, state: "idle" });
  expect(names()).toEqual(["s"]);
  told.forget("s", { ...before, state: "idle" });
  told.forget("s", before);
  expect(names()).toEqual([]);
});
