import { expect, it } from "vitest";
import { flagsHelp, helpOf, overview } from "../../../src/surfaces/cli/help.ts";
import { GROUPS } from "../../../src/surfaces/cli/table.ts";
import { widthOf } from "../../../src/surfaces/words/width.ts";

/** A command to copy stays whole, however long it is. */
const tooWide = (text: string, width: number) =>
  text.split("\n").filter((line) => widthOf(line) > width && /\S\s\S/.test(line.trim()));

it.each([40, 60, 80, 100])("no help is wider than a terminal of %i columns", (width) => {
  const all = GROUPS.flatMap(({ commands }) => commands);
  const texts = [overview(GROUPS, "1.2.3", width), flagsHelp(width), ...all.map((one) => helpOf(one, width))];
  expect(texts.flatMap((text) => tooWide(text, width))).toEqual([]);
});

it("on a narrow terminal flags are explained below their names", () => {
  const all = GROUPS.flatMap(({ commands }) => commands);
  const pause = all.find(({ name }) => name === "pause");
  expect(pause && helpOf(pause, 20)).toContain("Flags:\n  --reason TEXT\n    why; every agent\n    is told\n");
});
