/** Patches as git writes them, of files with any names and contents, are shown whole. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PatchFile, type PatchRow, patchFiles } from "../../../../src/surfaces/page/views/turns/patch-files.ts";
import { git, makeRepository } from "../../../support/git-repository.ts";
import { quickDirectory } from "../../../support/temporary-directory.ts";

type Tree = Readonly<Record<string, string | null>>;

let repository = "";

beforeAll(() => {
  repository = makeRepository(join(quickDirectory(afterAll), "repository"));
  git(repository, "config", "core.quotePath", "false");
});

/** The tree that git makes of these files; null is a file that is not there. */
function treeOf(change: () => void): string {
  git(repository, "rm", "-r", "-q", "--cached", "--ignore-unmatch", ".");
  change();
  git(repository, "add", "--all", "--force");
  return git(repository, "write-tree");
}

function put(files: Tree): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(repository, name);
    rmSync(path, { recursive: true, force: true });
    if (text === null) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");

/** As the turn record asks for it. */
function patchOf(from: string, to: string, ...options: readonly string[]): string {
  const args = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", ...options, from, to, "--"];
  return execFileSync("git", args, { cwd: repository, encoding: "utf8" });
}

function patchBetween(before: Tree, after: Tree, ...options: readonly string[]): string {
  for (const name of Object.keys({ ...before, ...after })) put({ [name]: null });
  const from = treeOf(() => put(before));
  return patchOf(
    from,
    treeOf(() => put(after)),
    ...options,
  );
}

/** A file as its patch tells it: what it was, or what it is. */
function side(rows: readonly PatchRow[], without: "added" | "removed"): string {
  const lines = rows.flatMap((row, index) => {
    if (row.kind !== "line" || row.sign === without) return [];
    const next = rows[index + 1];
    return [`${row.text}${next?.kind === "note" ? "" : "\n"}`];
  });
  return lines.join("");
}

function short(files: readonly PatchFile[]): readonly string[] {
  return files.map(({ path, what, added, removed, isPlain }) =>
    [path, ...what, `+${added} -${removed}`, ...(isPlain ? ["plain"] : [])].join(" | "),
  );
}

describe("names", () => {
  const NAMES = [
    "plain.txt",
    "with blanks in it.txt",
    "ends with a blank ",
    " begins with a blank",
    'has "quotes".txt',
    "has 'quotes'.txt",
    "tab\there.txt",
    "line\nbreak.txt",
    "back\\slash.txt",
    "b/file.txt",
    "a/b/file.txt",
    "x b/x",
    "x b/x b/x",
    "ünïcödé/日本.txt",
    "emoji-🦜.txt",
    "-dash",
    "diff --git a/x b/x",
    "bell\u0007.txt",
    "line\u2028separator",
  ];

  const all = (text: string | null) => Object.fromEntries(NAMES.map((name) => [name, text]));
  const each = (what: string) => NAMES.map((name) => `${name} | ${what}`).toSorted();

  test.each([
    ["new", null, "one\n", "new file | +1 -0"],
    ["changed", "one\n", "two\n", "+1 -1"],
    ["deleted", "one\n", null, "deleted file | +0 -1"],
  ])("stand as they are over files that are %s", (_, before, after, what) => {
    expect(short(patchFiles(patchBetween(all(before), all(after)), false)).toSorted()).toEqual(each(what));
  });

  test("stand as they are over files of which only the mode changed", () => {
    const from = treeOf(() => put(all("one\n")));
    const to = treeOf(() => {
      for (const name of NAMES) chmodSync(join(repository, name), 0o755);
    });
    put(all(null));
    expect(short(patchFiles(patchOf(from, to), false)).toSorted()).toEqual(each("now executable | +0 -0"));
  });
});

describe("kinds of changes", () => {
  test("an empty file, a binary file, a link and a link that was a file", () => {
    expect(short(patchFiles(patchBetween({ "x.txt": null }, { "x.txt": "" }), false))).toEqual([
      "x.txt | new file | +0 -0",
    ]);
    const binary = patchBetween({ "a picture.png": null }, { "a picture.png": "\0\u0001" });
    expect(short(patchFiles(binary, false))).toEqual(["a picture.png | new file | binary | +0 -0"]);
    put({ "a picture.png": null, link: null });
    const from = treeOf(() => put({ link: "text\n" }));
    const to = treeOf(() => {
      put({ link: null });
      symlinkSync("x.txt", join(repository, "link"));
    });
    put({ link: null });
    expect(short(patchFiles(patchOf(from, to), false))).toEqual([
      "link | deleted file | +0 -1",
      "link | new symbolic link | +1 -0",
    ]);
  });

  test("a file that was renamed names its former path, in directories with the names of the two sides, too", () => {
    const text = "one\ntwo\nthree\nfour\n";
    const patch = patchBetween({ "a/x y": text, "b/z": null }, { "a/x y": null, "b/z": `${text}five\n` }, "-M");
    expect(short(patchFiles(patch, false))).toEqual(["b/z | renamed from a/x y | +1 -0"]);
    const same = patchBetween({ 'q"1': text, "p\t1": null }, { 'q"1': null, "p\t1": text }, "-M");
    expect(short(patchFiles(same, false))).toEqual(['p\t1 | renamed from q"1 | +0 -0']);
    put({ "b/z": null, "p\t1": null });
  });

  test("a file without a line break at its end says so at the line that has none", () => {
    const [file] = patchFiles(patchBetween({ x: "one\ntwo" }, { x: "one\ntwo\n" }), false);
    expect(file?.rows.map((row) => (row.kind === "line" ? `${row.sign} ${row.text}` : row.kind))).toEqual([
      "hunk",
      "same one",
      "removed two",
      "note",
      "added two",
    ]);
  });
});

describe("contents", () => {
  // Lines that look like parts of a patch, and characters that end a line elsewhere.
  const line = fc.oneof(
    fc.constantFrom(
      "",
      " ",
      "-- a",
      "++ b",
      "--- a/x",
      "+++ b/x",
      "@@ -1 +1 @@",
      "diff --git a/x b/x",
      "\\ No newline",
    ),
    fc.constantFrom("\r", "a\rdiff --git a/x b/x", "a\u2028diff --git a/x b/x", "\u0085", "\f", "Index: x"),
    fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll(/[\n\0]/g, "")),
  );
  const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, ends]) => {
    return lines.join("\n") + (ends && lines.length > 0 ? "\n" : "");
  });

  test("any two versions of files are told whole, with the numbers of their lines", () => {
    const trees = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(trees, (versions) => {
        const named = (which: 0 | 1) => Object.fromEntries(versions.map((pair, index) => [`f${index}`, pair[which]]));
        // With so many lines around a change the patch has the whole file.
        const files = patchFiles(patchBetween(named(0), named(1), "-U99"), false);
        put(Object.fromEntries(versions.map((_, index) => [`f${index}`, null])));
        const changed = versions.flatMap(([before, after], index) =>
          before === after ? [] : [[`f${index}`, before, after]],
        );
        expect(files.map(({ path, rows }) => [path, side(rows, "added"), side(rows, "removed")])).toEqual(changed);
        for (const { rows } of files) {
          for (const column of ["old", "new"] as const) {
            const numbers = rows.flatMap((row) => (row.kind === "line" && row[column] !== null ? [row[column]] : []));
            expect(numbers).toEqual(numbers.map((_, index) => index + 1));
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  test("numbers go on where a later part of a long file begins", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const changed = lines.with(9, "ten").with(79, "eighty");
    const [file] = patchFiles(patchBetween({ x: `${lines.join("\n")}\n` }, { x: `${changed.join("\n")}\n` }), false);
    expect(file?.rows.filter((row) => row.kind === "line" && row.sign !== "same")).toEqual([
      { kind: "line", sign: "removed", old: 10, new: null, text: "line 10" },
      { kind: "line", sign: "added", old: null, new: 10, text: "ten" },
      { kind: "line", sign: "removed", old: 80, new: null, text: "line 80" },
      { kind: "line", sign: "added", old: null, new: 80, text: "eighty" },
    ]);
    expect(file?.rows.flatMap((row) => (row.kind === "hunk" ? [row.words] : []))).toEqual([
      "from line 7",
      "from line 77",
    ]);
  });
});

describe("a patch that is cut", () => {
  test("at any place keeps its whole files and as many lines of the last one as are whole", () => {
    const files = { "one more.txt": numbered(3), "two\ttabs": "no end", zzz: numbered(30) };
    const patch = patchBetween({ "one more.txt": null, "two\ttabs": null, zzz: "old\nfile\n" }, files);
    put({ "one more.txt": null, "two\ttabs": null, zzz: null });
    const whole = patchFiles(patch, false);
    expect(short(whole)).toHaveLength(3);
    for (let end = 1; end < patch.length; end += 1) {
      const cut = patchFiles(patch.slice(0, end), true);
      const last = cut.at(-1);
      expect(cut.slice(0, -1)).toEqual(whole.slice(0, cut.length - 1));
      if (last === undefined || last.isPlain) continue;
      const original = whole[cut.length - 1];
      expect(last.path).toBe(original?.path);
      expect(original?.rows.slice(0, last.rows.length)).toEqual(last.rows);
    }
  });
});

describe("what is no patch", () => {
  test("nothing has no files, and other texts keep their lines", () => {
    expect(patchFiles("", false)).toEqual([]);
    const [file] = patchFiles("Everything is well.\nReally.\n", false);
    expect([file?.isPlain, file?.rows.map((row) => row.kind === "plain" && row.text)]).toEqual([
      true,
      ["Everything is well.", "Really."],
    ]);
  });

  test("a part that cannot be read keeps its text and its name, and the files beside it are read", () => {
    const good = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    const bad = "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,9 +1,9 @@\n-a\n";
    expect(short(patchFiles(bad + good, false))).toEqual(["y | +0 -0 | plain", "x | +1 -1"]);
  });

  test("no text is too strange", () => {
    const part = fc.constantFrom(
      "diff --git a/x b/x\n",
      "@@ -1 +1 @@\n",
      "--- a/x\n",
      "+++ b/x\n",
      "-a\n",
      "+b\n",
      " c\n",
    );
    const any = fc.array(fc.oneof(part, fc.string()), { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(any, fc.boolean(), (patch, isCut) => {
        expect(patchFiles(patch, isCut)).toBeInstanceOf(Array);
      }),
    );
  });
});
