import { expect, test } from "vitest";
import { isId } from "../../src/core/ids.ts";
import { visible } from "../../src/core/visible.ts";

const WITHOUT_SHAPE =
  /(?!\n|\u{fe0f})[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?<!\p{Extended_Pictographic})\u{fe0f}/u;

const CHARACTERS = Array.from({ length: 0x1_10_00 }, (_, code) => String.fromCodePoint(code));

test("every character that has no shape is shown by its number, and every other stays", () => {
  const wrong = CHARACTERS.filter((character) => (visible(character) === character) === WITHOUT_SHAPE.test(character));
  expect(wrong).toEqual([]);
  expect(visible(`a\u202e${CHARACTERS[0x2500]}`)).toBe(`a\\u{202e}${CHARACTERS[0x2500]}`);
});

test("an id has every character but white space and those without a sign", () => {
  const wrong = CHARACTERS.filter((character) => isId(character) !== /^[^\s\p{C}]+$/u.test(character));
  expect(wrong).toEqual([]);
  expect([isId("claude:1"), isId("claude:1\n"), isId("é:1"), isId("")]).toEqual([true, false, true, false]);
});
