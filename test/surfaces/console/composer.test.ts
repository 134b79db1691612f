import { expect, onTestFinished, test, vi } from "vitest";
import {
  type ComposerState,
  EMPTY_COMPOSER,
  edited,
  fits,
  graphemesOf,
  submitted,
} from "../../../src/surfaces/console/composer.ts";
import { composerLines } from "../../../src/surfaces/console/composer-lines.ts";
import type { KeyName } from "../../../src/surfaces/console/keys.ts";
import { SeededRandom } from "../../support/random.ts";

/** Texts in quotes are typed; words are the names of keys. `|` in what comes out is the cursor. */
function after(...steps: readonly (string | { readonly key: KeyName })[]): string {
  return shown(typed(EMPTY_COMPOSER, ...steps));
}

function typed(composer: ComposerState, ...steps: readonly (string | { readonly key: KeyName })[]): ComposerState {
  return steps.reduce<ComposerState>(
    (state, step) => edited(state, typeof step === "string" ? { text: step } : { name: step.key }),
    composer,
  );
}

function shown({ text, cursor }: ComposerState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const key = (name: KeyName) => ({ key: name });

test("text goes in where the cursor is", () => {
  expect(after("hello", key("left"), key("left"), "-")).toBe("hel-|lo");
  expect(after("ab", key("home"), "x", key("end"), "y")).toBe("xaby|");
});

test("the cursor and the keys that erase treat a character as a person sees it", () => {
  const family = "👨‍👩‍👧";
  expect(after("e\u0301", key("backspace"))).toBe("|");
  expect(after(`a${family}b`, key("left"), key("left"))).toBe(`a|${family}b`);
  expect(after(`a${family}b`, key("home"), key("right"), key("delete"))).toBe("a|b");
  // A mark that comes alone joins the letter before it.
  expect(after("e", "\u0301", key("left"))).toBe("|e\u0301");
});

test("words", () => {
  expect(after("one two  ", key("word-left"))).toBe("one |two  ");
  expect(after("one two", key("home"), key("word-right"))).toBe("one| two");
  expect(after("one two", key("erase-word"))).toBe("one |");
});

test("lines: home, end and the keys that erase keep to the line of the cursor", () => {
  expect(after("one", key("newline"), "two", key("home"))).toBe("one\n|two");
  expect(after("one", key("newline"), "two", key("erase-line"))).toBe("one\n|");
  expect(after("one", key("newline"), "two", key("up"), key("erase-rest"))).toBe("one|\ntwo");
  expect(after("one", key("newline"), "two", key("up"), key("home"), key("erase-rest"))).toBe("|\ntwo");
  expect(after("long line", key("newline"), "s", key("up"), key("up"), key("end"), key("down"))).toBe("long line\ns|");
});

test("what was sent can be recalled, and the draft comes back", () => {
  const sent = submitted(typed(submitted(typed(EMPTY_COMPOSER, "first")), "second"));
  expect(sent.text).toBe("");
  const draft = typed(sent, "draft");
  expect(shown(typed(draft, key("up")))).toBe("second|");
  expect(shown(typed(draft, key("up"), key("up"), key("up")))).toBe("|first");
  expect(shown(typed(draft, key("up"), key("up"), key("down"), key("down")))).toBe("draft|");
});

test("a blank or repeated text is not kept", () => {
  const once = submitted(typed(EMPTY_COMPOSER, "same"));
  expect(submitted(typed(once, "same")).history).toEqual(["same"]);
  expect(submitted(typed(once, "  ")).history).toEqual(["same"]);
});

test("after any keys the cursor stands between two graphemes", () => {
  const random = new SeededRandom(20);
  const names: readonly KeyName[] = [
    "newline",
    "backspace",
    "delete",
    "left",
    "right",
    "home",
    "end",
    "word-left",
    "word-right",
    "erase-line",
    "erase-word",
    "erase-rest",
    "up",
    "down",
  ];
  const texts = ["a", "\u0301", "漢字", "👩🏽‍💻", " ", "\u200d", "🇩🇪", "🇫", "한", "\u0e33"];
  let composer = EMPTY_COMPOSER;
  for (let step = 0; step < 3000; step += 1) {
    const pressed = random.chance(0.5) ? { name: random.pick(names) } : { text: random.pick(texts) };
    composer = edited(composer, pressed);
    if (random.chance(0.02)) composer = submitted(composer);
    const ends = graphemesOf(composer.text).reduce<number[]>(
      (all, one) => [...all, (all.at(-1) ?? 0) + one.length],
      [0],
    );
    expect(ends, JSON.stringify(composer)).toContain(composer.cursor);
  }
});

test("characters are told apart in a long text as in a short one", () => {
  const random = new SeededRandom(21);
  const parts = ["a", "e\u0301", "漢", "👩🏽‍💻", "🇩🇪", "\u0301", "\u200d", "한", "\n", "🇫", "\u0e33", "\u0600"];
  const text = Array.from({ length: 2000 }, () => random.pick(parts)).join("");
  const whole = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  expect(graphemesOf(text)).toEqual(whole);
  const long = `x${"\u0301".repeat(1000)}y`;
  expect(graphemesOf(long)).toEqual([long.slice(0, -1), "y"]);
});

test.each(["a", "漢", "e\u0301", "a ", "漢字\n"])("a very long text of %j is told apart in small pieces", (part) => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
  onTestFinished(() => segment.mockRestore());
  const view = { prompt: "room> ", width: 80, maxRows: 8, cursor: (one: string) => `[${one}]`, dim: String };
  let composer = edited(EMPTY_COMPOSER, { pasted: part.repeat(20_000) });
  for (const name of ["left", "word-left", "up", "backspace", "home", "end"] as const)
    composer = edited(composer, { name });
  composerLines(composer, view);
  const lengths = segment.mock.calls.map(([text]) => text.length);
  expect(Math.max(0, ...lengths)).toBeLessThan(1000);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(15 * composer.text.length);
});

test("what would be longer than a message may be does not fit", () => {
  const composer = typed(EMPTY_COMPOSER, "漢");
  expect(fits(composer, { pasted: "字" }, 6)).toBe(true);
  expect(fits(composer, { pasted: "字!" }, 6)).toBe(false);
  expect(fits(composer, { name: "left" }, 1)).toBe(true);
});
