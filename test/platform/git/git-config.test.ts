import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseGitConfig, quotedGitValue } from "../../../src/platform/git/git-config.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** What git itself reads there; null when it refuses the text. */
function readByGit(text: string): readonly { name: string; value: string }[] | null {
  const file = join(temporaryDirectory(), "config");
  writeFileSync(file, text);
  try {
    const listed = execFileSync("git", ["config", "--file", file, "--list", "-z"], { encoding: "utf8", stdio: "pipe" });
    return listed
      .split("\0")
      .slice(0, -1)
      .map((entry) => {
        const end = entry.indexOf("\n");
        return end < 0 ? { name: entry, value: "true" } : { name: entry.slice(0, end), value: entry.slice(end + 1) };
      });
  } catch {
    // It ends with an error.
    return null;
  }
}

describe("a configuration means what it means to git", () => {
  test.each([
    ["", "nothing"],
    ["[core]\n\tbare = false\n\tFileMode=true\n", "keys in any case"],
    ['[remote "Origin"]\n\turl = git@example.org:a/b.git\n', "a subsection keeps its case"],
    ['[a "x\\"y\\\\z"]\n\tk = 1\n', "quotes in a subsection"],
    ["[Branch.Main]\n\tremote = o\n", "the old kind of subsection"],
    ["[core] bare = true\n", "a key on the line of its section"],
    ["[core]\n\tbare\n\tother  \n", "keys without a value"],
    ['[a]\n\tk = one two  # three\n\tl = "# no comment" ; a comment\n', "comments"],
    ['[a]\n\tk = "  blanks "  \n\tl =   x   y \n', "blanks"],
    ["[a]\n\tk = one \\\n  two\n\tl = 2\n", "lines that are joined"],
    ['[a]\n\tk = a\\tb\\nc\\\\d\\"e\n', "escapes"],
    ["\uFEFF[a]\r\n\tk = v\r\n", "a mark at the start, and line ends of Windows"],
    ['[a]\n\tk =\n\tl = ""\n', "empty values"],
    ["[a]\n\tk = 1\n\tk = 2\n", "a key twice"],
    ["# only a comment", "no line end"],
    ["k = 1\n[a]\n\tk = 2\n", "a key before any section"],
  ])("%j (%s)", (text) => {
    expect(parseGitConfig(text)).toEqual(readByGit(text));
    expect(parseGitConfig(text)).not.toBeNull();
  });

  test.each([
    "[core\nk = 1\n",
    "[a]\n\tk ; why\n",
    "[a]\n1k = 1\n",
    '[a]\n\tk = "open\n',
    "[a]\n\tk = \\q\n",
    "[a]\n\tk ! 1\n",
  ])("%j is refused", (text) => {
    expect([parseGitConfig(text), readByGit(text)]).toEqual([null, null]);
  });
});

test.each(["/plain", "a b", 'with "quotes"', "back\\slash", "two\nlines", "# ; ", " blanks "])(
  "%j is read as it was written",
  (value) => {
    const text = `[a]\n\tk = ${quotedGitValue(value)}\n`;
    expect([parseGitConfig(text), readByGit(text)]).toEqual([[{ name: "a.k", value }], [{ name: "a.k", value }]]);
  },
);
