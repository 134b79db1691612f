/** The board: what it shows in a given size, and where the keys lead. */
import { describe, expect, test } from "vitest";
import { asRoomId } from "../../../src/core/ids.ts";
import { paint } from "../../../src/surfaces/cli/text/paint.ts";
import { widthOf } from "../../../src/surfaces/cli/text/width.ts";
import { boardScreen, textRows } from "../../../src/surfaces/console/board-lines.ts";
import { agentOf, type BoardState, moved, pictureOf } from "../../../src/surfaces/console/board-state.ts";
import { asking, HOSTILE, ME, picture, row } from "./pictures.ts";

const ROOM = picture({
  agents: [
    row("codex:1", { mark: "needs_you", card: { purpose: HOSTILE } }),
    row("claude:1", { mark: "works", holdsStick: true }),
    row(ME, { isPerson: true }),
  ],
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

const view = (width: number, rows: number) => ({ width, rows, paint: paint(false) });
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
      stateOf({ pictures: [] }),
    ]) {
      const lines = boardScreen(state, view(width, rows));
      expect(lines.length).toBeLessThanOrEqual(rows - 1);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, 20));
      expect(lines.join("")).not.toMatch(/\p{Cc}|\u202e|\u2028/u);
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
