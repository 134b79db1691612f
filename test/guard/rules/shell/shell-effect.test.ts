import { describe, expect, test } from "vitest";
import { shellEffect } from "../../../../src/guard/rules/shell/shell-effect.ts";

describe("a write names its literal targets", () => {
  const written: readonly (readonly [command: string, targets: readonly string[] | null])[] = [
    ["echo x > a", ["a"]],
    ["echo x > 'a b' 2>> /tmp/err", ["a b", "/tmp/err"]],
    ["echo x > $F", null],
    ["F=/tmp/out; echo x > $F", ["/tmp/out"]],
    ['F="/tmp/out dir"; echo x > "$F/a"', ["/tmp/out dir/a"]],
    ["F=/tmp/x; for i in 1 2; do F=$i; done; rm $F", null],
    ["false || F=a; rm $F", null],
    ["rm -rf a /tmp/b", ["a", "/tmp/b"]],
    ["rm *.o", null],
    ["rm ~/a", null],
    ["touch a{b,c}", null],
    ["cp a b /tmp/dir", ["/tmp/dir"]],
    ["cp -t /tmp/dir a b", ["/tmp/dir"]],
    ["mv a /tmp/b", ["a", "/tmp/b"]],
    ["ln -s /x/y", ["."]],
    ["sort -o out in", ["out"]],
    ["dd if=a of=b", ["b"]],
    ["sed -i s/a/b/ x y", ["x", "y"]],
    ["sed -i.bak s/a/b/ x", null],
    ["sed -n 'w out' a", ["out"]],
    ["awk '{ print > \"out\" }' a", ["out"]],
    ["tee a b < c", ["a", "b"]],
    ["gzip logs/a", ["logs"]],
    // The later flag says what it does.
    ["xz -lz logs/a", ["logs"]],
    ["zstd -c --rm logs/a", ["logs"]],
    ["tar -C /tmp/x -xf a.tar", ["/tmp/x"]],
    ["curl -o /tmp/a https://example.com", ["/tmp/a"]],
    ["find src -delete", ["src"]],
    ["git commit -m x", ["."]],
    ["git -C /tmp/other commit -m x", ["/tmp/other"]],
    ["git -C /tmp -C other add .", ["/tmp/other"]],
    ["git --git-dir=/tmp/x commit", null],
    ["git diff --output=/tmp/p", ["/tmp/p"]],
    ["cd /tmp && rm a", ["/tmp/a"]],
    ["cd src && cd b && rm a", ["src/b/a"]],
    ["cd /tmp || exit 1; rm a", ["/tmp/a"]],
    // The cd may fail.
    ["cd /tmp; rm a", ["a", "/tmp/a"]],
    ["cd /tmp && ls; rm a", ["/tmp/a", "a"]],
    ["(cd /tmp && ls); rm a", ["a"]],
    ["cd /tmp | cat; rm a", ["a"]],
    ["cd $DIR && rm a", null],
    ["cd - && rm a", null],
    ["cd && rm a", null],
    ["if cd /tmp; then rm a; fi", ["a", "/tmp/a"]],
    ["while true; do cd x; rm a; done", null],
    ["f() { cd x; }; f; rm a", null],
    ["bash -c 'cd /tmp && rm a'", ["/tmp/a"]],
    ["env -C /tmp rm a", ["/tmp/a"]],
    ["tt check -- rm a", ["a"]],
    ["python3 x.py; rm a", ["a"]],
  ];

  test.each(written)("%s", (command, targets) => {
    const { effect, targets: named } = shellEffect(command);
    expect({ effect, targets: named?.toSorted() ?? null }).toEqual({
      effect: "writes",
      targets: targets?.toSorted() ?? null,
    });
  });
});

test("a line that writes tells whether another part of it is hidden", () => {
  expect(shellEffect("npm test > /tmp/log")).toMatchObject({ effect: "writes", targets: ["/tmp/log"], hidden: "npm" });
  expect(shellEffect("ls > /tmp/log")).toMatchObject({ effect: "writes", hidden: null });
});

describe("the word that decided is named", () => {
  test.each([
    ["ls && rm a", "rm"],
    ["ls > a", ">"],
    ["npm test", "npm"],
    ["python3 x.py; git add .", "git add"],
    ["ls", null],
  ])("%s: %s", (command, because) => {
    expect(shellEffect(command).because).toBe(because);
  });
});

describe("what changes nothing is judged as reading", () => {
  test.each(["xz -l a", "xz -dc a", "zstd -t a", "less -RS a", "FOO=1 ls", "env FOO=1 cat a"])("%s", (command) => {
    expect(shellEffect(command).effect).toBe("reads");
  });
});

describe("what is hidden in a word that looks harmless is not judged as reading", () => {
  const hidden = [
    "sort $FLAGS a",
    'X="-o a"; sort $X b',
    "git diff $X",
    "git stash -m list",
    "git notes --ref list add",
    "git branch --unset-up",
    "git branch --edit-desc",
    "git log --outp=x",
    "jobs -x rm a",
    "test -v 'a[$(rm x)]'",
    "[[ 'a[$(rm x)]' -eq 1 ]]",
    "printf -v 'a[$(rm x)]' y",
    'git ls-remote "ext::sh -c touch% a"',
    "uniq a -c",
    "xxd a -d",
    "git config user.name -1",
    "gzip -2 a",
    "xz -tz a",
    "less '+!rm a' b",
    "less -No a b",
    "LESSOPEN='|rm a' less b",
    "LS_OPTIONS=x git status",
    "FOO=1 npm test",
    "GREP=./a zgrep x b.gz",
    "DIFF=./a zdiff b c",
    "GETCONF_DIR=. getconf -v x",
    "[[ a > b ]]",
    "(( a > b ))",
    "echo $'\\' > x '\\'",
    "echo ${x@P}",
    "echo ${PATH:=/tmp}; ls",
    "read PATH < f; ls",
    "for PATH in /tmp; do ls; done",
    "printf -v PATH /tmp; ls",
    "ls *(e:'rm a':)",
    "sed 's/[/]/x/;w out' a",
    "sed -e 's/a/b\\' -e '/w out' a",
    "awk 'BEGIN { \"rm a\" | getline }'",
    "curl -w '%output{a}x' https://example.com",
    "echo x | nohup cat",
    "./ls",
    "bin/git status",
    "/tmp/ls",
    "tt $X",
    "tt --path check check -- rm a",
    "xargs sort < a",
    "find . $X",
    "cat a > /dev/tcp/example.com/80",
  ];

  test.each(hidden)("%s", (command) => {
    expect(shellEffect(command).effect).not.toBe("reads");
  });
});

describe("a line that is too much to judge is unknown, and soon", () => {
  test.each([
    ["10 MB", "a".repeat(10_000_000)],
    ["many subshells", `${"(".repeat(100_000)}ls`],
    ["many substitutions", `echo ${"$(".repeat(20_000)}`],
    ["many blocks", `${"if true; then ".repeat(5_000)}ls${"; fi".repeat(5_000)}`],
    ["many scripts in scripts", nested(12)],
    ["a long sum", `echo $((${"1+".repeat(100_000)}1))`],
  ])("%s", (_, command) => {
    expect(shellEffect(command).effect).toBe("unknown");
  });

  test("a long line of plain commands is judged", () => {
    expect(shellEffect("ls | ".repeat(20_000) + "cat").effect).toBe("reads");
    expect(shellEffect(`${"cd a; ".repeat(20_000)}rm b`)).toMatchObject({ effect: "writes", targets: null });
  });
});

function nested(depth: number): string {
  return depth === 0 ? "ls" : `sh -c ${JSON.stringify(nested(depth - 1)).replaceAll("$", "\\$")}`;
}
