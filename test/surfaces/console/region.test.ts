/** The region of the chat: never as high as the screen, never wider, and the composer is always there. */
import { describe, expect, test } from "vitest";
import { paint } from "../../../src/surfaces/cli/text/paint.ts";
import {
  type ChatState,
  type FlowItem,
  flowLines,
  overflow,
  regionLines,
  tailRows,
} from "../../../src/surfaces/console/chat/chat-region.ts";
import { whoText, whyText } from "../../../src/surfaces/console/chat/chat-words.ts";
import { EMPTY_COMPOSER, withText } from "../../../src/surfaces/console/composer.ts";
import { composerLines } from "../../../src/surfaces/console/composer-lines.ts";
import { saidRows } from "../../../src/surfaces/console/live-screen.ts";
import { changedMarksText, marksText } from "../../../src/surfaces/console/marks.ts";
import { agentsLine } from "../../../src/surfaces/console/room-lines.ts";
import { widthOf } from "../../../src/surfaces/words/width.ts";
import { asking, HOSTILE, ME, message, picture, row, viewOf } from "./pictures.ts";

const INVERSE = /\u001b\[2?7m/g; // oxlint-disable-line no-control-regex -- the mark of the cursor

function stateOf(fields: Partial<ChatState> = {}): ChatState {
  return {
    composer: withText(EMPTY_COMPOSER, "text\nof\nseveral lines that are rather long"),
    addressee: "room",
    picture: picture({ agents: [row("claude:1", { mark: "works" }), row("codex:1", { mark: "waits" })] }),
    asked: [],
    tail: [],
    notice: null,
    question: null,
    trouble: null,
    isReadOnly: false,
    ...fields,
  };
}

const TAIL: readonly FlowItem[] = [
  { event: message("one"), marks: [] },
  { event: message(HOSTILE, "claude:1", ME), marks: [{ to: ME, mark: "read" }] },
  {
    event: message("to all"),
    marks: ["claude:1", "codex:1", "gemini:1"].map((name) => ({ to: row(name).agentId, mark: "waiting" })),
  },
  { words: "words of the chat itself", tone: "dim" },
];

describe.each([2, 3, 4, 7, 10, 24, 50])("with %d rows", (rows) => {
  test.each([12, 19, 39, 79, 199])("and %d columns, the region fits", (width) => {
    const view = viewOf(width);
    for (const state of [
      stateOf({ tail: TAIL }),
      stateOf({ tail: TAIL, question: asking(`Remove ${HOSTILE}?`) }),
      stateOf({ tail: TAIL, notice: HOSTILE, trouble: HOSTILE }),
      stateOf({ tail: TAIL, addressee: HOSTILE, picture: null }),
      stateOf({ tail: TAIL, isReadOnly: true }),
    ]) {
      const { kept } = overflow(state.tail, view, tailRows(state, view, rows));
      const lines = regionLines({ ...state, tail: kept }, view, rows);
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
      for (const line of lines) expect(widthOf(line.replaceAll(INVERSE, ""))).toBeLessThanOrEqual(width + 1);
      expect(lines.join("").replaceAll(INVERSE, "")).not.toMatch(/\p{Cc}|\u202e|\u2028/u);
    }
  });
});

test.each([19, 39, 79])("at %d columns a question is there to its end, and a notice from its beginning", (width) => {
  const view = viewOf(width);
  const words = "claude holds the stick and is active. Give it to codex?";
  const asked = regionLines(stateOf({ question: asking(words) }), view, 24).join(" ");
  expect(asked).toContain(`${words} [y/N]`);
  const notice = 'There is no member "nobody" here. Candidates: claude, codex';
  expect(regionLines(stateOf({ notice }), view, 24).join(" ")).toContain(notice);
  expect(regionLines(stateOf({ question: asking(words) }), view, 3).at(-1)).toMatch(/\[y\/N\]$/);
});

test("the oldest of the tail flow up first, and nothing is lost", () => {
  const view = viewOf(79);
  const { out, kept } = overflow(TAIL, view, 4);
  expect([...out, ...kept]).toEqual(TAIL);
  expect(kept.flatMap((item) => flowLines(item, view)).length).toBeLessThanOrEqual(4);
  expect(overflow(TAIL, view, 0).kept).toEqual([]);
  expect(overflow(TAIL, view, 100).out).toEqual([]);
});

test("a message that is higher than the region flows up at once", () => {
  const high: FlowItem = { event: message("row\n".repeat(30)), marks: [] };
  expect(overflow([high], viewOf(79), 8)).toEqual({ out: [high], kept: [] });
});

test("the composer shows the rows around its cursor and counts the others", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
  const view = {
    prompt: "room> ",
    width: 40,
    maxRows: 4,
    cursor: (character: string) => `[${character}]`,
    dim: String,
  };
  const atEnd = composerLines(withText(EMPTY_COMPOSER, lines), view);
  expect(atEnd).toEqual(["+16>  line 16", "      line 17", "      line 18", "      line 19[ ]"]);
  const atStart = composerLines({ ...withText(EMPTY_COMPOSER, lines), cursor: 0 }, view);
  expect(atStart[0]).toBe("+16>  [l]ine 0");
});

test("marks name recipients only where there are several", () => {
  const names = { me: ME, nameOf: (agentId: string) => agentId };
  const claude = { to: row("claude:1").agentId, mark: "waiting" as const };
  const codex = { to: row("codex:1").agentId, mark: "read" as const };
  expect(marksText([claude], names)).toBe("…");
  expect(marksText([claude, codex, { to: ME, mark: "dead" }], names)).toBe("! you  … claude:1  ✓ codex:1");
  expect(changedMarksText([codex], `${"long ".repeat(20)}\nsecond`, String)).toEqual([
    "✓ “long long long long long long …” was read by codex:1",
  ]);
});

test.each([
  [{ kind: "free", waiting: [] }, { do: "wait_for_turn", with: { max_wait_ms: 0 } }, "Take it: /take"],
  [{ kind: "closed" }, { do: "join_path" }, "Reopen it: in another terminal: tt join"],
  [
    { kind: "held", holder: ME, waiting: [row("codex:1").agentId], asked: null },
    { do: "release_stick" },
    "Hand the stick over: /give codex",
  ],
] as const)("of %j the chat offers what can be typed in it", (reason, step, way) => {
  const room = picture({ agents: [row("codex:1")], why: { reason, isStuck: false, step } });
  const waiting = { ...room, now: { ...room.now, queue: [row("codex:1").agentId] } };
  expect(whyText(waiting, 0, "tt").split("\n").at(-1)).toBe(way);
});

test("only the agents that need the person stand out in the line of the agents", () => {
  const agents = [row("codex:1", { mark: "needs_you" }), row("claude:1", { mark: "works" })];
  const view = { ...viewOf(79), paint: paint(true) };
  expect(agentsLine(picture({ agents }), view)).toBe("\u001b[33m■ codex\u001b[0m\u001b[2m  ▶ claude\u001b[0m");
});

test("only agents that are proven gone are called gone", () => {
  const one = picture({
    agents: [row("claude:1", { mark: "works" })],
    folded: { gone: [row("dead:1")], away: [row("far:1")], notListed: 2 },
  });
  expect(agentsLine(one, viewOf(79))).toBe("▶ claude  ○ 3 away  ✗ 1 gone");
  expect(whoText(one).split("\n")).toEqual(["▶ works      claude  claude", "✗ gone: dead:1", "○ away: far:1, 2 more"]);
});

test("of what the chat says, the last row stays, and what is left out is marked", () => {
  const words = "one two three four five six seven";
  expect(saidRows(words, 10, 9)).toEqual(["one two", "three four", "five six", "seven"]);
  expect(saidRows(words, 10, 3)).toEqual(["one two", "three fou…", "seven"]);
  expect(saidRows(words, 10, 1)).toEqual(["seven"]);
});
