import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesUnder, root } from "./files.ts";
import { checkWords } from "./words.ts";

/** These two files name the words that they forbid. */
const OWN = ["test/house/words.ts", "test/house/words.test.ts"];

test("the code, its tests, their texts and the documents use the usual word", () => {
  const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md"];
  const code = ["src", "test", "bench", "scripts"].flatMap((folder) =>
    filesUnder(folder, [".ts", ".tsx", ".css", ".mjs", ".sql", ".sh"]),
  );
  const files = [
    ...code.filter(({ path }) => !OWN.includes(path)),
    ...filesUnder("docs", [".md"]),
    ...filesUnder("skills", [".md"]),
    ...pages.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  ];
  expect(files.flatMap(({ path, text }) => checkWords(path, text))).toEqual([]);
});

test.each([
  ["// Whoever asks", 'src/a.ts:1 "whoever": name the actor: holder, sender, member, person …'],
  ["\nconst whomToRing = 1;", 'src/a.ts:2 "whom": name the actor: holder, sender, member, person …'],
  ["const IS_SOMEBODYS = 1;", 'src/a.ts:1 "somebodys": name the actor: holder, sender, member, person …'],
  ["take it all\n * the same", 'src/a.ts:1 "all the same": anyway'],
  ["the stick lies idle", 'src/a.ts:1 "lies idle": is free'],
  ['"waits for ever"', 'src/a.ts:1 "for ever": until stopped, or never ends'],
  ["its lease ran out", 'src/a.ts:1 "ran out": expires'],
  ["unless you show yourself", 'src/a.ts:1 "show yourself": say what it does'],
])("a riddle is a breach: %j", (text, breach) => {
  expect(checkWords("src/a.ts", text)).toEqual([breach]);
});

test.each(["Nobody holds the stick", "for every room", "ran out of memory", "a forever-loop", "runs outside of it"])(
  "the usual word is no breach: %s",
  (text) => {
    expect(checkWords("src/a.ts", text)).toEqual([]);
  },
);
