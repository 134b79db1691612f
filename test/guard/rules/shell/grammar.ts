/** Random commands of the kinds that the judge knows, for the scratch tree of scratch-tree.ts. */
import fc from "fast-check";

/** All inside of the tree. */
const PATHS = ["a.txt", "b.txt", "src/c.ts", "src", "sp ace.txt", "new.txt", "src/new", "logs/d.log", "x.tar", "z.gz"];

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts);
const words = (text: string) => pick(...text.trim().split(/\s+/));

const path = fc
  .tuple(pick(...PATHS), pick("'", '"', "\\", "/"))
  .map(([name, quote]) => (quote === "\\" || quote === "/" ? name.replaceAll(" ", "\\ ") : `${quote}${name}${quote}`));
/** Also what is not known from the text. X holds a flag with a path, F a path. */
const operand = fc.oneof(
  { weight: 6, arbitrary: path },
  {
    weight: 1,
    arbitrary: pick("*.txt", '"$F"', "$X", "src/*", "{a,b}.txt", "--", "-", "$(echo a.txt)", '"$(cat a.txt)"'),
  },
);
const value = fc.oneof(operand, pick("1", "2", "5", "'1,2p'", "x", "%s"));

const letters = fc.string({
  unit: pick(...Array.from("abcdefgilmnoprstuvwxzACDEILNOPRSTX0123")),
  minLength: 1,
  maxLength: 3,
});
const LONG_FLAGS = `--all --output --output=new.txt --out=new.txt --reverse --in-place --quiet --verbose --list --delete
  --no-index --stat --cached --name-only --oneline --stdout --dry-run --check --keep --recursive --force --parents
  --target-directory=src --append --unique --zero-terminated --numeric-sort --decompress --number --null --contains
  --show-current --merged --ext-diff --textconv --abbrev --graph --files --count --directory --extract --create
  --unset-upstream --edit-description --refresh --write-tree --global --local --get --sort=x --format=x --patch --raw`;
const flag = fc.oneof(
  { weight: 3, arbitrary: letters.map((text) => `-${text}`) },
  { weight: 1, arbitrary: fc.tuple(letters, value).map(([text, given]) => `-${text} ${given}`) },
  { weight: 2, arbitrary: words(LONG_FLAGS) },
  { weight: 1, arbitrary: fc.tuple(words(LONG_FLAGS), value).map(([text, given]) => `${text} ${given}`) },
);

const line = (program: fc.Arbitrary<string>, most = 3) =>
  fc
    .tuple(program, fc.array(flag, { maxLength: 2 }), fc.array(operand, { maxLength: most }), fc.boolean())
    .map(([name, flags, operands, flagsLast]) =>
      [name, ...(flagsLast ? [...operands, ...flags] : [...flags, ...operands])].join(" "),
    );

/** Without those that wait for a signal or set the clock or the host's name. */
const reader = words(`ls cat tac head wc nl rev cut paste join comm tr fold fmt expand unexpand column od hexdump
  strings stat du basename dirname realpath readlink pwd md5sum sha256sum cksum cmp diff diff3 grep egrep zgrep zcat
  seq true false test expr echo printf factor numfmt tsort base32 base64 jq which id uname printenv file xxd sort shuf
  uniq type wait jobs umask dirs help`);
const writer = words(`rm touch mkdir rmdir unlink truncate tee chmod cp mv ln install split csplit gzip gunzip bzip2 xz
  zstd patch mkfifo shred unzip zip`);

const sed = fc
  .tuple(
    pick("", "-n ", "-E ", "-i ", "-ne ", "-s -n ", "-i.bak ", "-z ", "-e p -e "),
    pick(
      "p",
      "1,2p",
      "$=",
      "/a/d",
      "s/a/b/",
      "s/a/b/gp",
      "s|a|b|2",
      "w new.txt",
      "s/a/b/w new.txt",
      "1!G;h;$!d",
      "1e touch new.txt",
      "s/a/touch new.txt/e",
      "y/ab/ba/",
      "/a/{s/a/b/;p}",
      "a\\\\ text",
      "1r b.txt",
      "s/[/]/x/",
      "1W new.txt",
      ":x;N;$!bx;s/\\n/ /g",
      "s/a/b/;w new.txt",
      "/[a/]w new.txt/p",
      "q5",
      "2q;w src/new",
      "1~2d",
    ),
    path,
  )
  .map(([flags, script, file]) => `sed ${flags}'${script}' ${file}`);
const awk = fc
  .tuple(
    pick(
      "{print}",
      "{print $1}",
      "NR>1",
      '{print > "new.txt"}',
      "$1 > 2 {print}",
      'BEGIN{system("touch new.txt")}',
      '{print | "cat > new.txt"}',
      "{print($1 > 2)}",
      '{print $1, $2 >> "src/new"}',
      "{x = $1 > 2; print x}",
      "/a>b/ {print}",
      '{print "a > b"}',
      '{print $1/2 > "new.txt"}',
      '{printf "%s\\n", $1}',
      '{getline x < "a.txt"; print x}',
      '{print /a/ ? 1 : 2 > "new.txt"}',
      '{ print length > "new.txt" }',
      "{if ($1 > 1) print}",
      '{print a[1] > "b.txt"}',
    ),
    path,
  )
  .map(([program, file]) => `awk '${program}' ${file}`);
const find = fc
  .tuple(
    pick("find .", "find src", "find . -maxdepth 1", "find src logs"),
    pick("", "-name '*.txt'", "-type f", "-newer a.txt", "! -name x", "\\( -name a -o -name b \\)"),
    pick(
      "",
      "-print",
      "-delete",
      "-exec cat {} \\;",
      "-exec rm {} +",
      "-exec touch new.txt \\;",
      "-fprint new.txt",
      "-ls",
      "-exec sh -c 'cat \"$1\"' _ {} \\;",
      "-exec sed -i s/a/b/ {} \\;",
      "-execdir touch new.txt \\;",
      "-printf '%p'",
      "-exec grep -l a {} +",
      "-fls src/new",
      "$X",
    ),
  )
  .map((parts) => parts.join(" "));
const git = fc.oneof(
  line(
    words(`status diff log show blame grep rev-parse rev-list ls-files ls-tree cat-file describe merge-base shortlog
      name-rev for-each-ref show-ref show-branch cherry count-objects var diff-tree diff-index diff-files check-ignore
      fsck archive hash-object branch tag stash config remote worktree submodule reflog notes bisect symbolic-ref apply
      clean format-patch bundle add commit checkout switch restore reset merge rm mv update-index update-ref gc
      read-tree write-tree replace sparse-checkout init`).map((verb) => `git ${verb}`),
    2,
  ),
  fc
    .tuple(
      pick(
        "stash list",
        "stash show",
        "stash",
        "branch -a",
        "branch x",
        "branch -d x",
        "tag v2",
        "tag -l",
        "log -1",
        "log --oneline",
        "show HEAD",
        "show HEAD:a.txt",
        "diff HEAD",
        "config user.name",
        "config user.name x",
        "config -l",
        "remote -v",
        "remote add o u",
        "reflog",
        "reflog expire --all --expire=now",
        "notes list",
        "notes add -m x",
        "cat-file -p HEAD",
        "symbolic-ref HEAD",
        "symbolic-ref HEAD refs/heads/y",
        "worktree list",
        "hash-object a.txt",
        "hash-object -w a.txt",
        "archive HEAD",
        "archive -o new.txt HEAD",
        "format-patch -1",
        "format-patch -1 --stdout",
        "clean -n",
        "clean -fd",
        "diff --output=new.txt",
        "log -p --output new.txt",
        "checkout -- a.txt",
        "reset -q",
        "rm --cached a.txt",
        "fsck",
        "submodule status",
        "bundle create new.txt HEAD",
        "apply --check a.txt",
        "blame a.txt",
        "ls-tree -r HEAD",
        "describe --all",
      ),
      fc.array(flag, { maxLength: 1 }),
    )
    .map(([text, flags]) => ["git", text, ...flags].join(" ")),
);

const simple = fc.oneof(
  { weight: 6, arbitrary: line(reader) },
  { weight: 2, arbitrary: line(writer) },
  { weight: 2, arbitrary: sed },
  { weight: 2, arbitrary: awk },
  { weight: 2, arbitrary: find },
  { weight: 4, arbitrary: git },
  {
    weight: 1,
    arbitrary: pick(
      "tar tf x.tar",
      "tar xf x.tar",
      "tar -cf new.txt src",
      "tar -xOf x.tar",
      "tar cf - src",
      "dd if=a.txt of=new.txt",
      "dd if=a.txt",
      "gzip -dc z.gz",
      "cat a.txt | tee new.txt",
      "mktemp -u",
      "touch src/{p,q}",
      "kill -0 $$",
      "X=a.txt",
    ),
  },
);

const redirected = fc
  .tuple(
    simple,
    pick(
      "> new.txt",
      ">> a.txt",
      "2>/dev/null",
      "2>&1",
      "< a.txt",
      "&> new.txt",
      ">| b.txt",
      "<> new.txt",
      ">&2",
      "<<< text",
      "> $F",
      "2> src/new",
    ),
  )
  .map((parts) => parts.join(" "));

const wrapped = fc.oneof(
  fc
    .tuple(
      pick(
        "env",
        "command",
        "nice",
        "timeout 5",
        "time",
        "nohup",
        "exec",
        "env LC_ALL=C",
        "xargs",
        "xargs -n1",
        "xargs -I{}",
        "builtin",
        "env -i",
      ),
      simple,
    )
    .map((parts) => parts.join(" ")),
  fc
    .tuple(pick("sh", "bash", "bash -e"), simple)
    .map(([shell, inner]) => `${shell} -c '${inner.replaceAll("'", `'\\''`)}'`),
  fc
    .tuple(pick("LC_ALL=C", "F=b.txt", "PAGER=cat", "GIT_PAGER='touch new.txt'"), simple)
    .map((parts) => parts.join(" ")),
);

const single = fc.oneof(
  { weight: 6, arbitrary: simple },
  { weight: 2, arbitrary: redirected },
  { weight: 2, arbitrary: wrapped },
);

/** A whole line. */
export const commandLine: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: single },
  {
    weight: 2,
    arbitrary: fc.tuple(single, pick(" | ", " && ", " || ", "; ", " |& "), single).map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: single.map((inner) => `echo "$(${inner})"`) },
  { weight: 1, arbitrary: single.map((inner) => `for f in a.txt b.txt; do ${inner}; done`) },
  { weight: 1, arbitrary: single.map((inner) => `if true; then ${inner}; else ls; fi`) },
  { weight: 1, arbitrary: single.map((inner) => `cd src && ${inner}`) },
  { weight: 1, arbitrary: single.map((inner) => `cd src; ${inner}`) },
  { weight: 1, arbitrary: single.map((inner) => `(cd logs && ${inner}); ls`) },
  { weight: 1, arbitrary: single.map((inner) => `X='-o new.txt'; ${inner}`) },
  { weight: 1, arbitrary: single.map((inner) => `f() { ${inner}; }; f a.txt`) },
  { weight: 1, arbitrary: single.map((inner) => `cat <(${inner})`) },
  { weight: 1, arbitrary: single.map((inner) => `cat <<E\n$(${inner})\nE`) },
  { weight: 1, arbitrary: single.map((inner) => `trap '${inner.replaceAll("'", `'\\''`)}' EXIT; ls`) },
  { weight: 1, arbitrary: single.map((inner) => `{ ${inner}; } &`) },
);
