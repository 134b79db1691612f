/** Screens as the real programs drew them, with their colours. */
import { describe, expect, test } from "vitest";
import type { Harness } from "../../../src/harness/contract.ts";
import { claudeCode, codex, gemini, opencode } from "../../../src/harness/registry.ts";
import { WAKE_TEXT } from "../../../src/mail/rules/wake-status.ts";
import { type Composer, holdsExactly, obstacleIn } from "../../../src/wake/rules/composer.ts";
import { readScreen, textOf } from "../../../src/wake/rules/screen.ts";

const esc = (text: string) => text.replaceAll("ESC", "\u001b");
const LINE = `ESC[38;5;244m${"─".repeat(40)}`;

interface Shown {
  readonly title?: string;
  readonly row: string;
  readonly x: number;
  readonly below?: string;
  readonly above?: string;
  readonly more?: readonly string[];
  readonly isScrolled?: boolean;
  readonly idle?: boolean;
}

interface Look {
  readonly composer: Composer;
  readonly title: string;
  readonly above: string;
  readonly below: string;
}

function composerOf({ composer }: Harness): Composer {
  if (!composer) throw new Error("no composer");
  return composer();
}

function obstacle(look: Look, shown: Shown) {
  const above = [...(shown.more ?? ["earlier talk"]), shown.above ?? look.above];
  const rows = readScreen(esc([...above, shown.row, shown.below ?? look.below, "footer"].join("\n")));
  const sight = { title: shown.title ?? look.title, cursor: { x: shown.x, y: above.length }, rows };
  return obstacleIn({ ...sight, isScrolled: shown.isScrolled ?? false }, look.composer, shown.idle ?? false);
}

describe("Claude Code", () => {
  const look = { composer: composerOf(claudeCode), title: "✳ Claude Code", above: LINE, below: LINE };
  const empty = { row: "ESC[39m❯\u00a0ESC[7m ESC[0mESC[39mESC[49m", x: 2 };

  test.each<[string, Shown, string | null]>([
    ["an empty composer", empty, null],
    ["its hint", { row: '❯\u00a0ESC[7mTESC[0;2mry "fix lint errors"ESC[0m', x: 2 }, null],
    [
      "an empty composer under a title that says nothing yet, and its own word",
      { ...empty, title: "vm", idle: true },
      null,
    ],
    ["the same without its word", { ...empty, title: "vm" }, "busy"],
    [
      "its own word against a title with a sign that nobody knows",
      { ...empty, title: "✺ Claude Code", idle: true },
      "busy",
    ],
    ["a draft", { row: "ESC[39m❯\u00a0hello draftESC[7m ", x: 13 }, "draft"],
    [
      "a draft with the cursor at its beginning",
      { row: "❯\u00a0ESC[7mhESC[0mESC[39mESC[49mello draft", x: 2 },
      "draft",
    ],
    ["a draft of one letter with the cursor on it", { row: "❯\u00a0ESC[7mhESC[0m", x: 2 }, "draft"],
    ["the second row of a draft", { row: "  ", above: "❯\u00a0first", x: 2 }, "draft"],
    ["the first row of a draft that begins with an empty one", { ...empty, below: "  second" }, "draft"],
    ["a turn", { ...empty, title: "◑ Claude Code" }, "busy"],
    ["a turn that only the screen shows", { ...empty, more: ["✻ Baking… (2s · esc to interrupt)"] }, "busy"],
    ["a person who looks back", { ...empty, isScrolled: true }, "busy"],
    ["a permission", { row: " ESC[38;5;153m❯ESC[39m ESC[38;5;246m1. ESC[38;5;153mYes", x: 1 }, "dialog"],
  ])("%s", (_, shown, expected) => {
    expect(obstacle(look, shown)).toBe(expected);
  });
});

describe("Codex", () => {
  const look = { composer: composerOf(codex), title: "proj", above: "", below: "ESC[0mESC[39mESC[49m" };
  const empty = { row: "ESC[1m›ESC[0mESC[39mESC[49m ESC[2mAsk Codex to do anything", x: 2 };

  test.each<[string, Shown, string | null]>([
    ["its hint", empty, null],
    ["a draft", { row: "ESC[1m›ESC[0m hello draft", x: 13 }, "draft"],
    ["a draft with the cursor at its beginning", { row: "ESC[1m›ESC[0m hello draft", x: 2 }, "draft"],
    ["a turn", { ...empty, title: "⠧ proj" }, "busy"],
    ["a permission, by its title", { ...empty, title: "[ . ] Action Required | proj" }, "dialog"],
    ["a permission, by its screen", { ...empty, more: ["ESC[1;7m› 1. Yes, proceed (y)"] }, "dialog"],
  ])("%s", (_, shown, expected) => {
    expect(obstacle(look, shown)).toBe(expected);
  });
});

describe("Gemini", () => {
  const look = { composer: composerOf(gemini), title: "◇  Ready (gt)      ", above: "", below: "" };
  const mark = " ESC[38;5;183m> ESC[7m";
  const empty = { row: `${mark}ESC[39m ESC[0mESC[38;5;248mESC[48;5;240m Type your message or @path/to/file`, x: 3 };

  test.each<[string, Shown, string | null]>([
    ["its hint", empty, null],
    ["a draft with the cursor at its beginning", { row: `${mark}ESC[38;5;231maESC[0mbc`, x: 3 }, "draft"],
    ["a turn", { ...empty, title: "✦  Working… (gt)" }, "busy"],
    ["a permission, by its title", { ...empty, title: "✋  Action Required (gt)" }, "dialog"],
    ["a permission, by its screen", { ...empty, more: ["│ ESC[48;5;28m●ESC[39m 1. Allow once"] }, "dialog"],
  ])("%s", (_, shown, expected) => {
    expect(obstacle(look, shown)).toBe(expected);
  });
});

describe("OpenCode", () => {
  const bar = "  ESC[38;5;75m┃ESC[38;5;15mESC[48;5;234m        ";
  const look = { composer: composerOf(opencode), title: "OC | Fix lint", above: bar, below: bar };
  const empty = { row: bar, x: 5 };

  test.each<[string, Shown, string | null]>([
    ["an empty composer", empty, null],
    ["a draft", { row: "  ┃  hello", x: 10 }, "draft"],
    ["the second row of a draft", { ...empty, above: "  ┃  hello" }, "draft"],
    ["a turn", { ...empty, more: ["   ⬝⬝⬝  ESC[38;5;255mesc ESC[38;5;8minterrupt"] }, "busy"],
    ["the composer before the first prompt", { row: `${" ".repeat(23)}┃  `, x: 26, title: "OpenCode" }, "busy"],
  ])("%s", (_, shown, expected) => {
    expect(obstacle(look, shown)).toBe(expected);
  });
});

test("colours by number are no styles, and styles last over rows", () => {
  const [first = [], second = []] = readScreen(esc("ESC[38;2;2;7;2mredESC[2m faint\nstillESC[22m not"));
  expect(first.filter(({ isFaint }) => isFaint).length).toBe(" faint".length);
  expect(first.some(({ isInverse }) => isInverse)).toBe(false);
  expect(textOf(second.filter(({ isFaint }) => isFaint))).toBe("still");
});

describe("what was typed", () => {
  const FRAMES = [
    ["Claude Code", composerOf(claudeCode), LINE, "❯\u00a0", "  ", LINE],
    ["Codex", composerOf(codex), "", "› ", "  ", ""],
    ["Gemini", composerOf(gemini), "", " > ", "   ", ""],
    ["OpenCode", composerOf(opencode), "  ┃", "  ┃  ", "  ┃  ", "  ┃"],
  ] as const;

  test.each(FRAMES)("is known in the rows of a narrow terminal: %s", (_, composer, above, first, next, below) => {
    const holds = (parts: readonly string[], { up = 0, left = 0 } = {}) => {
      const field = parts.map((part, index) => `${index === 0 ? first : next}${part}`);
      const rows = readScreen(esc([WAKE_TEXT, above, ...field, below, "footer"].join("\n")));
      const y = 1 + parts.length - up;
      const cursor = { x: (field[parts.length - 1 - up] ?? "").length - left, y };
      return holdsExactly({ title: "", cursor, rows, isScrolled: false }, composer, WAKE_TEXT);
    };
    const words = WAKE_TEXT.split(" ");
    const wrapped = [words.slice(0, 5), words.slice(5, 9), words.slice(9)].map((part) => part.join(" "));
    expect(holds([WAKE_TEXT])).toBe(true);
    expect(holds(wrapped)).toBe(true);
    expect(holds([WAKE_TEXT.slice(0, 33), WAKE_TEXT.slice(33), ""])).toBe(true);
    expect(holds([...wrapped, "x"])).toBe(false);
    expect(holds(["x", ...wrapped])).toBe(false);
    expect(holds(wrapped, { left: 1 })).toBe(false);
    expect(holds([...wrapped, "x"], { up: 1 })).toBe(false);
    expect(holds(wrapped.slice(0, 2))).toBe(false);
    expect(holds([""])).toBe(false);
  });
});
