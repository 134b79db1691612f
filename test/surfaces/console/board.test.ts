/** The board: what it shows in a given size, and where the keys lead. */
import { describe, expect, test } from "vitest";
import { asEventId, asRoomId } from "../../../src/core/ids.ts";
import { paint } from "../../../src/surfaces/cli/text/paint.ts";
import { EMPTY_COMPOSER } from "../../../src/surfaces/console/composer.ts";
import { boardScreen, textRows } from "../../../src/surfaces/console/watch/board-lines.ts";
import {
  agentOf,
  type BoardState,
  keepingChoice,
  moved,
  pictureOf,
} from "../../../src/surfaces/console/watch/board-state.ts";
import { widthOf } from "../../../src/surfaces/words/width.ts";
import { asking, HOSTILE, ME, picture, row } from "./pictures.ts";

const INVERSE = /\u001b\[2?7m/g; // oxlint-disable-line no-control-regex -- the mark of the cursor

const ROOM = picture({
  agents: [
    row("codex:1", { mark: "needs_you", card: { purpose: HOSTILE } }),
    row("claude:1", { mark: "works", holdsStick: true }),
    row(ME, { isPerson: true }),
  ],
});

const ASKER = row("codex:1").agentId;
const QUESTION = {
  asker: ASKER,
  name: "codex",
  messageId: asEventId("question"),
  words: `delete the old tests? ${HOSTILE}`,
};
const WRITING = { roomId: ROOM.roomId, to: ASKER, question: null, composer: EMPTY_COMPOSER };
const { messageId, words: question } = QUESTION;
const ASKING = picture({
  agents: [row("codex:1", { mark: "needs_you", needs: { kind: "answer", person: ME, messageId, question } }), row(ME)],
  why: {
    reason: { kind: "question", asker: ASKER, person: ME, messageId, others: 0 },
    isStuck: true,
    step: { do: "read_my_messages" },
  },
});

function stateOf(fields: Partial<BoardState> = {}): BoardState {
  return {
    pictures: [ROOM],
    isOpening: false,
    isOfAll: false,
    roomId: ROOM.roomId,
    chosenRoom: null,
    chosenAgent: null,
    text: null,
    writing: null,
    question: null,
    notice: null,
    trouble: null,
    isReadOnly: false,
    ...fields,
  };
}

const view = (width: number, rows: number) => ({ width, rows, paint: paint(false), tt: "tt" });
const NO_ROWS = { all: 0, seen: 0 };

describe.each([2, 5, 10, 24, 60])("with %d rows", (rows) => {
  test.each([12, 19, 39, 79, 199])("and %d columns, the board fits", (width) => {
    const text = { title: HOSTILE, text: `${HOSTILE}\n+added\n`.repeat(40), tone: "diff", top: null } as const;
    for (const state of [
      stateOf(),
      stateOf({ roomId: null, isOfAll: true, pictures: [ROOM, { ...ROOM, roomId: asRoomId("b"), path: HOSTILE }] }),
      stateOf({ text }),
      stateOf({ question: asking(HOSTILE), trouble: HOSTILE }),
      stateOf({ notice: HOSTILE }),
      stateOf({ pictures: [ASKING] }),
      stateOf({ pictures: [ASKING], writing: { ...WRITING, question: QUESTION }, notice: HOSTILE }),
      stateOf({ pictures: [] }),
    ]) {
      const lines = boardScreen(state, view(width, rows));
      expect(lines.length).toBeLessThanOrEqual(rows - 1);
      const plain = lines.map((line) => line.replaceAll(INVERSE, ""));
      for (const line of plain) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, 20));
      expect(plain.join("")).not.toMatch(/\p{Cc}|\u202e|\u2028/u);
    }
  });
});

test("the arrows choose an agent, and stop at both ends", () => {
  const start = stateOf();
  expect(agentOf(start)).toBe("codex:1");
  const down = moved(start, "down", NO_ROWS) ?? start;
  expect(agentOf(down)).toBe("claude:1");
  expect(agentOf(moved(start, "up", NO_ROWS) ?? start)).toBe("codex:1");
  const last = ["down", "down", "down"].reduce((state) => moved(state, "down", NO_ROWS) ?? state, start);
  expect(agentOf(last)).toBe(ME);
});

test("an agent that has left is chosen no more", () => {
  const state = stateOf({ chosenAgent: row("gone:1").agentId });
  expect(agentOf(state)).toBe("codex:1");
  expect(agentOf(stateOf({ pictures: [] }))).toBe(null);
});

test("in the list the arrows choose a room", () => {
  const second = { ...ROOM, roomId: asRoomId("second") };
  const list = stateOf({ roomId: null, isOfAll: true, pictures: [ROOM, second] });
  expect(pictureOf(list)?.roomId).toBe("room");
  expect(pictureOf(moved(list, "down", NO_ROWS) ?? list)?.roomId).toBe("second");
  expect(agentOf(list)).toBe(null);
});

test("a text is scrolled within its bounds", () => {
  const text = { title: "log", text: "line\n".repeat(99), tone: "plain", top: null } as const;
  const state = stateOf({ text });
  const rows = textRows(state, view(79, 24));
  expect(rows.all).toBe(100);
  const tops = (["up", "page-up", "home", "end", "down", "page-down"] as const).map(
    (key) => moved(state, key, rows)?.text?.top,
  );
  expect(tops).toEqual([
    rows.all - rows.seen - 1,
    rows.all - 2 * rows.seen + 1,
    0,
    ...Array(3).fill(rows.all - rows.seen),
  ]);
  expect(boardScreen(state, view(79, 24))[0]).toBe("log (100 of 100)");
});

test("the chosen block is seen, however small the screen is", () => {
  const agents = Array.from({ length: 30 }, (_, index) => row(`agent${index}:1`));
  const state = stateOf({ pictures: [picture({ agents })], chosenAgent: row("agent25:1").agentId });
  expect(boardScreen(state, view(79, 10)).join("\n")).toMatch(/❯ ○ agent25/);
});

test("how many rows are not seen is told", () => {
  const agents = Array.from({ length: 30 }, (_, index) => row(`agent${index}:1`));
  const state = stateOf({ pictures: [picture({ agents })], chosenAgent: row("agent20:1").agentId });
  expect(boardScreen(state, view(79, 24)).join("\n")).toMatch(/^ {2}↑ \d+ {2}↓ \d+ more$/m);
});

test("what was chosen stays chosen when another agent, or another room, comes first", () => {
  const [codex, claude] = [row("codex:1"), row("claude:1")];
  const before = keepingChoice(stateOf({ pictures: [picture({ agents: [claude, codex] })] }));
  expect(agentOf(keepingChoice({ ...before, pictures: [picture({ agents: [codex, claude] })] }))).toBe("claude:1");
  const second = { ...ROOM, roomId: asRoomId("second") };
  const list = keepingChoice(stateOf({ roomId: null, isOfAll: true, pictures: [ROOM, second] }));
  expect(pictureOf(keepingChoice({ ...list, pictures: [second, ROOM] }))?.roomId).toBe("room");
});

describe.each([19, 39, 79])("at %d columns", (width) => {
  const shown = (state: BoardState) => boardScreen(state, view(width, 24)).join(" ").replaceAll(/ +/g, " ");

  test("a question of an agent is on the board with the key that answers it, and above the answer", () => {
    expect(shown(stateOf({ pictures: [ASKING] }))).toMatch(
      /│ delete[ │]+the[^]* codex waits for your answer\. Answer: a /,
    );
    const writing = { ...WRITING, question: QUESTION };
    expect(shown(stateOf({ pictures: [ASKING], writing }))).toMatch(
      /codex asks: │ delete[ │]+the[ │]+old[ │]+tests\?[^]*to codex>/,
    );
  });

  test("a question of the board is there to its end", () => {
    const words = "claude holds the stick and is active. Give it to codex?";
    expect(shown(stateOf({ question: asking(words) }))).toContain(`${words} [y/N]`);
  });
});

test.each([
  [{ kind: "closed" }, { do: "join_path" }, "Reopen it: tt join"],
  [{ kind: "paused", by: ME, since: picture().asOf, reason: null }, { do: "resume_room" }, "Go on: p"],
  [
    { kind: "holder_gone", holder: ASKER, waiting: [] },
    { do: "takeover_stick", with: { expected_turn_id: 3 } },
    "Take the stick over: t",
  ],
  [
    { kind: "reserved_gone", agent: ASKER, waiting: [] },
    { do: "wait_for_turn", with: { max_wait_ms: 0 } },
    "The stick is reserved for codex, whose process is gone. End the reservation: t",
  ],
  [
    { kind: "reserved_gone", agent: ASKER, waiting: [row("claude:1").agentId] },
    { do: "give_stick", with: { to_agent_id: row("claude:1").agentId } },
    "Give it to claude: choose claude, then g",
  ],
  [
    { kind: "holder_idle", holder: ASKER, waiting: [row("claude:1").agentId] },
    { do: "request_stick", with: { why: "free it" } },
    "tt request 'free it'",
  ],
] as const)("of %j the board names the key that helps", (reason, step, way) => {
  const agents = [row("codex:1"), row("claude:1")];
  const rows = boardScreen(
    stateOf({ pictures: [picture({ agents, why: { reason, isStuck: true, step } })] }),
    view(79, 24),
  );
  expect(rows.join(" ")).toContain(way);
});

function footOf(state: BoardState): string {
  return boardScreen(state, view(79, 24)).slice(-4).join("\n");
}

test("an agent that needs the person is named where its row is not seen", () => {
  const elsewhere = { ...ASKING, roomId: asRoomId("second"), path: "/projects/second" };
  const text = { title: "log", text: "a line", tone: "plain", top: 0 } as const;
  expect(footOf(stateOf({ pictures: [ASKING], text }))).toContain("■ needs you: codex in /projects/tree");
  expect(footOf(stateOf({ isOfAll: true, pictures: [ROOM, elsewhere] }))).toContain(
    "■ needs you: codex in /projects/second",
  );
  expect(footOf(stateOf({ pictures: [ASKING] }))).not.toContain("needs you:");
  expect(footOf(stateOf({ roomId: null, isOfAll: true, pictures: [elsewhere] }))).not.toContain("needs you:");
});
