import { expect, onTestFinished, test, vi } from "vitest";
import { type Key, KeyReader } from "../../../src/surfaces/console/keys.ts";
import { readingKeys } from "../../../src/surfaces/console/opening.ts";

function keysOf(...chunks: string[]): readonly Key[] {
  const reader = new KeyReader();
  return chunks.flatMap((chunk) => reader.push(chunk));
}

test("keys that come in one piece are told apart", () => {
  expect(keysOf("ab\u007f\u007f\r\u001b[Dx")).toEqual([
    { text: "ab" },
    { name: "backspace" },
    { name: "backspace" },
    { name: "enter" },
    { name: "left" },
    { text: "x" },
  ]);
});

test("a key that comes in pieces is one key", () => {
  expect(keysOf("\u001b", "[1;", "5C")).toEqual([{ name: "word-right" }]);
});

test("an escape character alone is a key once no more comes", () => {
  const reader = new KeyReader();
  expect(reader.push("\u001b")).toEqual([]);
  expect(reader.patienceMs).toBe(50);
  expect(reader.giveUp()).toEqual([{ name: "escape" }]);
  expect(reader.patienceMs).toBeNull();
  expect(reader.giveUp()).toEqual([]);
});

test("Ctrl-J and Alt-Enter begin a line, Enter sends", () => {
  expect(keysOf("\n\u001b\r\u001b[13;2u\r")).toEqual([
    { name: "newline" },
    { name: "newline" },
    { name: "newline" },
    { name: "enter" },
  ]);
});

test("a paste is one key, however it is cut", () => {
  const whole = "\u001b[200~one\r\ntwo\rthree\u001b[201~x";
  for (let at = 0; at <= whole.length; at += 1) {
    expect(keysOf(whole.slice(0, at), whole.slice(at)).slice(0, 1)).toEqual([{ pasted: "one\ntwo\nthree" }]);
  }
});

test("control characters in a paste become harmless text", () => {
  expect(keysOf("\u001b[200~a\u001b[31m\u0007\u009b\tb\u001b[201~")).toEqual([
    { pasted: "a\\u{1b}[31m\\u{7}\\u{9b}  b" },
  ]);
});

test("unknown sequences and control characters are no keys", () => {
  expect(keysOf("\u001b[99;99~\u001b[<0;1;1M\u0000\u001b[?1;2cA")).toEqual([{ text: "A" }]);
});

/** What is pressed at a terminal whose clock the test moves. */
function pressedAt() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const keys: Key[] = [];
  const read = readingKeys(
    new KeyReader(),
    (key) => keys.push(key),
    () => undefined,
  );
  return { keys, read };
}

test("each piece of a sequence has the whole time to come", () => {
  const { keys, read } = pressedAt();
  read("\u001b");
  vi.advanceTimersByTime(40);
  read("[1;");
  vi.advanceTimersByTime(40);
  expect(keys).toEqual([]);
  read("5C");
  vi.advanceTimersByTime(5000);
  expect(keys).toEqual([{ name: "word-right" }]);
});

test("a paste without its end mark ends when nothing more comes, and keys are keys again", () => {
  const { keys, read } = pressedAt();
  read("\u001b[200~one");
  vi.advanceTimersByTime(900);
  read(" two\u001b[20");
  vi.advanceTimersByTime(900);
  expect(keys).toEqual([]);
  vi.advanceTimersByTime(200);
  read("x\r");
  expect(keys).toEqual([{ pasted: "one two\\u{1b}[20" }, { text: "x" }, { name: "enter" }]);
});
